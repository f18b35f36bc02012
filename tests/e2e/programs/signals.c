/*
 * Marks in a signal handler that interrupts marks of the same thread, more than the ring has room for.
 * Prints how many visits the program made, and the handler.
 */
#include "joulemark.h"
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int signals;

static void on_alarm(int number) {
    (void)number;
    signals++;
    joulemark_begin("handler");
    joulemark_end("handler");
}

int main(void) {
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    long i, visits = 1500000;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (i = 0; i < visits; i++) {
        joulemark_begin("main");
        joulemark_end("main");
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld %d\n", visits, signals);
    return 0;
}
