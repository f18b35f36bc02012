/*
 * Threads that mark, come and go, and give names out at the same time: what a thread sanitizer looks at.
 * Prints how many visits were made.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "joulemark.h"

enum { THREADS = 6, ROUNDS = 20, VISITS = 200 };

static void *work(void *p) {
    long seed = (long)p;
    char name[32];
    int i;
    for (i = 0; i < VISITS; i++) {
        /* Names that others use too, and some of its own. */
        snprintf(name, sizeof name, i % 10 ? "shared %ld" : "own %ld", (seed + i) % (i % 10 ? 7 : 97));
        joulemark_begin("outer");
        joulemark_begin(name);
        joulemark_end(name);
        joulemark_end("outer");
        if (i % 50 == 0) joulemark_epoch();
    }
    return NULL;
}

int main(void) {
    int round, i;
    for (round = 0; round < ROUNDS; round++) {
        pthread_t t[THREADS];
        for (i = 0; i < THREADS; i++)
            if (pthread_create(&t[i], NULL, work, (void *)(long)(round * THREADS + i))) return 3;
        for (i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    }
    printf("%d\n", 2 * THREADS * ROUNDS * VISITS);
    return 0;
}
