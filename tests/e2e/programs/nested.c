/* nested CYCLES: regions within regions as fast as they go, in the main thread and in another one. */
#include "joulemark.h"
#include <pthread.h>
#include <stdlib.h>

static long cycles;

static void *worker(void *unused) {
    joulemark_begin("worker");
    for (long i = 0; i < 4 * cycles; i++) {
        joulemark_begin("step");
        joulemark_end("step");
    }
    joulemark_end("worker");
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    cycles = argc > 1 ? atol(argv[1]) : 1000;
    if (pthread_create(&thread, NULL, worker, NULL) != 0) return 1;
    joulemark_begin("main");
    for (long i = 0; i < cycles; i++) {
        joulemark_begin("cycle");
        for (int k = 0; k < 5; k++) {
            joulemark_begin("force");
            joulemark_begin("stress");
            joulemark_end("stress");
            joulemark_end("force");
        }
        for (int k = 0; k < 3; k++) {
            joulemark_begin("energy");
            joulemark_end("energy");
        }
        joulemark_end("cycle");
    }
    joulemark_end("main");
    pthread_join(thread, NULL);
    return 0;
}
