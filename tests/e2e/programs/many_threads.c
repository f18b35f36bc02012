/*
 * many_threads THREADS VISITS [BESIDE [inside]]: threads that come and go, BESIDE at a time, each with
 * as many visits of "work", and in each of them one of "inside". Prints the visits.
 */
#include "joulemark.h"
#include <pthread.h>
#include <stdio.h>

static long visits;
static int inside;

static void *run(void *unused) {
    long i;
    (void)unused;
    for (i = 0; i < visits; i++) {
        joulemark_begin("work");
        if (inside) {
            joulemark_begin("inside");
            joulemark_end("inside");
        }
        joulemark_end("work");
    }
    return NULL;
}

int main(int argc, char **argv) {
    long threads = argc > 1 ? atol(argv[1]) : 3000, done = 0;
    int beside = argc > 3 ? atoi(argv[3]) : 1, k;
    pthread_t some[64];
    pthread_attr_t small;
    inside = argc > 4;
    visits = argc > 2 ? atol(argv[2]) : 1000;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    while (done < threads) {
        for (k = 0; k < beside; k++) {
            if (pthread_create(&some[k], &small, run, NULL) != 0) return 1;
        }
        for (k = 0; k < beside; k++) pthread_join(some[k], NULL);
        done += beside;
    }
    printf("%ld\n", done * visits);
    return 0;
}
