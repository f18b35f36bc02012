/* Marks out of order: in the main thread, in another one, and across both. */
#include "joulemark.h"
#include <pthread.h>

static void *other(void *unused) {
    joulemark_begin("thread's own");
    joulemark_end("begun by main");
    joulemark_end("never begun");
    joulemark_end("thread's own");
    joulemark_begin("left by the thread");
    return unused;
}

int main(void) {
    pthread_t thread;
    joulemark_begin("outer");
    joulemark_begin("inner");
    joulemark_end("outer");
    joulemark_end("inner");
    for (int i = 0; i < 1000; i++) {
        joulemark_begin("step");
        joulemark_begin("forgotten");
        joulemark_end("step");
    }
    joulemark_begin("begun by main");
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    joulemark_begin("after");
    joulemark_end("after");
    joulemark_begin("left open");
    /* Long enough for the monitor to see the process itself, whose environment has its rank. */
    usleep(50000);
    return 0;
}
