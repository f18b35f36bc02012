/*
 * flood KIND RATE SECONDS: so many a second of one kind of mark: visits, nested, spans, epochs, values,
 * threads (of 1,000 that live), forks (a marked process each). Prints their number.
 */
#include "joulemark.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

static double rate, seconds, start;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(void) {
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
}

static void visit(const char *name) {
    joulemark_begin(name);
    joulemark_end(name);
}

static void mark(const char *kind, long i) {
    if (strcmp(kind, "visits") == 0) visit("work");
    else if (strcmp(kind, "nested") == 0) {
        joulemark_begin("work");
        visit("inside");
        joulemark_end("work");
    } else if (strcmp(kind, "spans") == 0) joulemark_span_end(joulemark_span_begin("span"));
    else if (strcmp(kind, "epochs") == 0) joulemark_epoch();
    else if (strcmp(kind, "values") == 0) joulemark_set_int("step", i);
    else if (strcmp(kind, "forks") == 0) {
        pid_t pid = fork();
        if (pid == 0) {
            visit("child");
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
}

static void *live(void *number) {
    long done = 0;
    double at;
    (void)number;
    while ((at = now() - start) < seconds) {
        struct timespec pause = {0, 20000000};
        for (; done < at * rate / 1000; done++) visit("work");
        nanosleep(&pause, NULL);
    }
    return (void *)done;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "visits";
    long done = 0;
    double at;
    rate = argc > 2 ? atof(argv[2]) : 1e5;
    seconds = argc > 3 ? atof(argv[3]) : 10;
    start = now();
    if (strcmp(kind, "threads") == 0) {
        static pthread_t some[1000];
        pthread_attr_t small;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 65536);
        for (long k = 0; k < 1000; k++) {
            if (pthread_create(&some[k], &small, live, (void *)k) != 0) return 1;
        }
        for (int k = 0; k < 1000; k++) {
            void *own;
            pthread_join(some[k], &own);
            done += (long)own;
        }
    } else {
        /* Who was kept from the CPU does not make up for it: no rate is higher than the one that was asked for. */
        double most = 0.005 * rate + 1, left_out = 0;
        while ((at = now() - start) < seconds) {
            double due = at * rate - left_out;
            if (due - (double)done > most) {
                left_out += due - (double)done - most;
                due = (double)done + most;
            }
            for (; (double)done < due; done++) mark(kind, done);
            nap();
        }
    }
    printf("%ld\n", done);
    return 0;
}
