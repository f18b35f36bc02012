/*
 * Marks in functions that call each other: callpath; callpath fork: the same in a child as well;
 * callpath deep: more functions than a call path holds; callpath many N: N paths that all differ;
 * callpath PAIRS [DEPTH]: ns of a pair of marks that many functions deep. The path of each mark
 * goes to stdout, innermost first, as backtrace(3) has it. The marks' prototypes are our own, weak.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
#if defined(__clang__)
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif
WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);
WEAK extern void cali_set_int_byname(const char *, int);

/* Without a mark behind it a call would be the last of its function, and no frame at all. */
static volatile int after;

/* The addresses that a mark here returns to, the outermost last, our caller first. */
static ALONE void say(const char *name) {
    void *at[64];
    int n = backtrace(at, 64);
    printf("%s", name);
    for (int i = 1; i < n; i++) {
        Dl_info info;
        const char *known = dladdr((char *)at[i] - 1, &info) ? info.dli_sname : NULL;
        printf(" %s", known ? known : "-");
    }
    putchar('\n');
    after++;
}

static inline __attribute__((always_inline)) void begin(const char *name) {
    if (cali_begin_region) cali_begin_region(name);
}
static inline __attribute__((always_inline)) void end(const char *name) {
    if (cali_end_region) cali_end_region(name);
}

#define MARKED(name, inner)                                                                        \
    ALONE void name(void);                                                                         \
    ALONE void name(void) {                                                                        \
        begin(#name);                                                                              \
        say(#name);                                                                                \
        inner;                                                                                     \
        end(#name);                                                                                \
        after++;                                                                                   \
    }
MARKED(f3, after++)
MARKED(f2, f3())
MARKED(f1, f2())

/* Exported to nobody. */
static ALONE void hidden_inner(void) {
    begin("hidden");
    end("hidden");
    after++;
}
static ALONE void hidden_outer(void) {
    hidden_inner();
    after++;
}

ALONE void *on_thread(void *arg);
ALONE void *on_thread(void *arg) {
    f3();
    after++;
    return arg;
}

ALONE void dive(int depth, void (*at)(void));
ALONE void dive(int depth, void (*at)(void)) {
    if (depth > 0) dive(depth - 1, at);
    else at();
    after++;
}

/* Two ways down at each step: 2^bits paths. */
ALONE void left(unsigned way, int bits);
ALONE void right(unsigned way, int bits);
static void ways(unsigned way, int bits) {
    if (bits == 0) hidden_inner();
    else if (way & 1) left(way >> 1, bits - 1);
    else right(way >> 1, bits - 1);
}
ALONE void left(unsigned way, int bits) {
    ways(way, bits);
    after++;
}
ALONE void right(unsigned way, int bits) {
    ways(way, bits);
    after += 2;
}

static long pairs;
static double spent;

static ALONE void measure(void) {
    struct timespec a, b;
    long done = 0;
    while (done < pairs) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 500; i++) {
            begin("pair");
            end("pair");
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        spent += (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
        done += 500;
        /* The monitor empties the ring. */
        usleep(6000);
    }
    spent /= (double)done;
}

int main(int argc, char **argv) {
    pthread_t id;
    if (argc > 1 && strcmp(argv[1], "deep") == 0) {
        dive(100, f3);
    } else if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        f1();
        fflush(stdout);
        if (fork() == 0) {
            f1();
            return 0;
        }
        wait(NULL);
    } else if (argc > 1 && strcmp(argv[1], "many") == 0) {
        /* Visits that find no room in their ring come folded, without a path: the monitor gets time. */
        struct timespec rest = {0, 10000000};
        for (unsigned i = 0; i < (unsigned)atoi(argv[2]); i++) {
            if (i % 256 == 0) nanosleep(&rest, NULL);
            ways(i, 17);
        }
    } else if (argc > 1) {
        pairs = atol(argv[1]);
        dive(argc > 2 ? atoi(argv[2]) : 0, measure);
        printf("%.2f\n", spent);
    } else {
        f1();
        f2();
        if (cali_set_int_byname) cali_set_int_byname("step", 1);
        hidden_outer();
        pthread_create(&id, NULL, on_thread, NULL);
        pthread_join(id, NULL);
    }
    return 0;
}
