/* Waits inside of two regions, on two threads, with an attribute, until its input ends. */
#include <pthread.h>
#include <stdio.h>

#include "joulemark.h"

static pthread_barrier_t both;

static void *worker(void *unused) {
    (void)unused;
    joulemark_begin("worker");
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    joulemark_end("worker");
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    joulemark_begin("main");
    joulemark_begin("solve");
    pthread_barrier_wait(&both);
    puts("ready");
    fflush(stdout);
    getchar();
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    joulemark_end("solve");
    joulemark_end("main");
    return 0;
}
