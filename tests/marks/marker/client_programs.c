/* Programs for the tests of the C client: client_programs WHAT [NUMBER]. */
#include <stdio.h>
#define JOULEMARK_GEOPM
#include "joulemark.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long raw_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (long long)t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void spin_us(long us) {
    long long end = raw_ns() + us * 1000LL;
    while (raw_ns() < end) {}
}

static void rest_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* Prints what the program itself measures around its marks. */
static void times(void) {
    for (int i = 0; i < 60; i++) {
        long long before = raw_ns(), after;
        joulemark_begin("work");
        spin_us(200);
        joulemark_end("work");
        after = raw_ns();
        printf("%lld %lld\n", before, after);
        rest_ms(8);
    }
}

static void pairs(long n) {
    static const char *const names[] = {"a", "b", "c"};
    for (long i = 0; i < n; i++) {
        joulemark_begin(names[i % 3]);
        joulemark_end(names[i % 3]);
    }
}

/* As pairs, but with the time that the program spent between the marks. */
static void folded(long n) {
    long long total = 0;
    for (long i = 0; i < n; i++) {
        long long before;
        joulemark_begin("short");
        before = raw_ns();
        for (volatile int k = 0; k < 200; k++) {}
        total += raw_ns() - before;
        joulemark_end("short");
    }
    printf("%lld\n", total);
}

static void *worker(void *arg) {
    const char *name = (const char *)arg;
    for (int i = 0; i < 1000; i++) {
        joulemark_begin(name);
        joulemark_begin("inner");
        joulemark_end("inner");
        joulemark_end(name);
    }
    return NULL;
}

static void threads(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, (void *)"left");
    pthread_create(&t[1], NULL, worker, (void *)"right");
    for (int i = 0; i < 500; i++) {
        joulemark_begin("main");
        joulemark_end("main");
    }
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
}

static void *one_visit(void *arg) {
    joulemark_begin("brief");
    joulemark_end("brief");
    return arg;
}

static void many_threads(long n) {
    for (long i = 0; i < n; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, one_visit, NULL)) exit(3);
        pthread_join(t, NULL);
    }
}

static void forks(void) {
    uint32_t region = joulemark_region("handle", JOULEMARK_HINT_MEMORY);
    pid_t child;
    joulemark_begin("parent");
    fflush(stdout);
    child = fork();
    for (int i = 0; i < 100; i++) {
        joulemark_enter(region);
        joulemark_begin(child ? "of the parent" : "of the child");
        joulemark_end(child ? "of the parent" : "of the child");
        joulemark_exit(region);
    }
    if (child) {
        waitpid(child, NULL, 0);
        joulemark_end("parent");
        printf("%d\n", (int)child);
    }
}

static void names(long n) {
    char name[32];
    for (long i = 0; i < n; i++) {
        snprintf(name, sizeof name, "region %ld", i);
        joulemark_begin(name);
        joulemark_end(name);
    }
}

static void long_name(long n, int visits) {
    char *name = (char *)malloc((size_t)n + 1);
    memset(name, 'x', (size_t)n);
    name[n] = 0;
    for (int i = 0; i < visits; i++) {
        joulemark_begin(name);
        joulemark_end(name);
    }
    free(name);
}

/* One buffer, two texts: the address alone is no name. */
static void reused(void) {
    char buffer[16];
    for (int i = 0; i < 100; i++) {
        snprintf(buffer, sizeof buffer, "%s", i % 2 ? "odd" : "even");
        joulemark_begin(buffer);
        joulemark_end(buffer);
    }
}

static void closes(void) {
    pairs(30);
    for (int fd = 3; fd < 1024; fd++) close(fd);
    names(1000);
    threads();
}

static void misuse(void) {
    joulemark_begin(NULL);
    joulemark_end(NULL);
    joulemark_end("never begun");
    joulemark_enter(4000000000u);
    joulemark_exit(4000000000u);
    for (int i = 0; i < 200; i++) joulemark_begin("deep");
    for (int i = 0; i < 200; i++) joulemark_end("deep");
    joulemark_begin("");
    joulemark_end("");
    joulemark_begin("still open");
}

static void events(void) {
    uint64_t id = 0;
    int bad = geopm_prof_region(NULL, 0, &id) + geopm_prof_region("x", 99, &id);
    geopm_prof_region("geopm", GEOPM_REGION_HINT_NETWORK, &id);
    for (int i = 0; i < 10; i++) {
        geopm_prof_epoch();
        geopm_prof_enter(id);
        geopm_tprof_init(2);
        geopm_tprof_post();
        geopm_tprof_post();
        geopm_prof_exit(id);
    }
    geopm_prof_overhead(0.25);
    printf("%d %d\n", bad, geopm_prof_exit(id));
    geopm_prof_shutdown();
    joulemark_begin("after the end");
}

static volatile sig_atomic_t alarms;
static void on_alarm(int number) {
    (void)number;
    alarms++;
}

/* Values n times until the ring is full; it is read while one is open, and each round starts elsewhere in it. */
static void values(long n) {
    joulemark_begin("main");
    for (int round = 0; round < 6; round++) {
        struct joulemark__thread *t = joulemark__thread(1);
        for (int i = 0; i < round; i++) joulemark_epoch();
        for (long i = 0; i <= n; i++) {
            joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_BEGIN, joulemark__lookup(t, "step"),
                             JOULEMARK__TYPE_INT, 1, (uint64_t)i);
            if (i == n) {
                puts("read");
                fflush(stdout);
                getchar();
            }
            joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_END, joulemark__lookup(t, "step"), 0, 0, 0);
        }
    }
    joulemark_end("main");
}

/* System calls of the client are interrupted all the time. */
static void interrupted(void) {
    struct sigaction action;
    timer_t timer;
    struct sigevent event;
    struct itimerspec every = {{0, 50000}, {0, 50000}};
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &every, NULL);
    names(20000);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    errno = 77;
    if (!strcmp(what, "times")) times();
    else if (!strcmp(what, "pairs")) pairs(n);
    else if (!strcmp(what, "folded")) folded(n);
    else if (!strcmp(what, "threads")) threads();
    else if (!strcmp(what, "many threads")) many_threads(n);
    else if (!strcmp(what, "fork")) forks();
    else if (!strcmp(what, "names")) names(n);
    else if (!strcmp(what, "long name")) long_name(n, 10);
    else if (!strcmp(what, "reused")) reused();
    else if (!strcmp(what, "closes")) closes();
    else if (!strcmp(what, "misuse")) misuse();
    else if (!strcmp(what, "events")) events();
    else if (!strcmp(what, "interrupted")) interrupted();
    else if (!strcmp(what, "values")) values(n);
    else if (!strcmp(what, "errno")) {
        pairs(10);
        return errno == 77 ? 0 : 1;
    } else if (!strcmp(what, "exec")) {
        pairs(9);
        execl(argv[0], argv[0], "pairs", "6", (char *)NULL);
        return 127;
    } else if (!strcmp(what, "shutdown late")) {
        pairs(9);
        rest_ms(n);
    } else {
        return 2;
    }
    return 0;
}
