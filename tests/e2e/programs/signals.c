/*
 * Marks in a signal handler that interrupts marks of the same thread, more than the ring has room for:
 * signals WORD. Prints how many visits the program made, and the handler.
 *
 *   plain   on the thread's stack
 *   stack   on a stack of the handler's own
 *   jump    the handler leaves what it interrupts for good, 20 times
 */
#define _GNU_SOURCE
#include "joulemark.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile int signals, jumps;
static volatile long visits;
static sigjmp_buf back;
static char other_stack[65536];

static void on_alarm(int number) {
    (void)number;
    signals++;
    joulemark_begin("handler");
    joulemark_end("handler");
    if (jumps > 0) {
        jumps--;
        siglongjmp(back, 1);
    }
}

int main(int argc, char **argv) {
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    const char *word = argc > 1 ? argv[1] : "plain";
    struct sigaction action;
    long most = 1500000;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    if (strcmp(word, "stack") == 0) {
        stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
        sigaltstack(&stack, NULL);
        action.sa_flags = SA_ONSTACK;
    }
    jumps = strcmp(word, "jump") == 0 ? 20 : 0;
    sigaction(SIGALRM, &action, NULL);
    /* While the first mark makes room there is none for a handler's. */
    joulemark_begin("main");
    joulemark_end("main");
    visits++;
    sigsetjmp(back, 1);
    setitimer(ITIMER_REAL, &often, NULL);
    while (visits < most) {
        joulemark_begin("main");
        joulemark_end("main");
        visits++;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld %d\n", visits, signals);
    return 0;
}
