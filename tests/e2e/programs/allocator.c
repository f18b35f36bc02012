/*
 * allocator KIND: marks beside the program's own allocations. handler: a signal handler marks new names in the middle
 * of malloc(3) of a process with threads; leaks: a forked child marks, and threads end after the marks did. The
 * status is 0 if the child's was.
 */
#define _GNU_SOURCE
#include "joulemark.h"
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile int handled;
static int gate[2], ready[2];

static void on_alarm(int number) {
    char name[40];
    (void)number;
    snprintf(name, sizeof name, "handler %d", handled++ % 200);
    joulemark_begin(name);
    joulemark_end(name);
}

static void *waits(void *unused) {
    char byte;
    joulemark_begin("thread");
    joulemark_end("thread");
    if (write(ready[1], "r", 1) != 1) return unused;
    while (read(gate[0], &byte, 1) > 0) continue;
    return unused;
}

int main(int argc, char **argv) {
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    sigset_t alarms;
    pthread_t thread;
    int status = 0;
    char byte;
    if (argc < 2 || pipe(gate) != 0 || pipe(ready) != 0) return 2;
    joulemark_begin("main");
    if (argv[1][0] == 'l') {
        pid_t child = fork();
        if (child == 0) {
            joulemark_begin("child");
            joulemark_end("child");
            exit(0);
        }
        waitpid(child, &status, 0);
    }
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    pthread_create(&thread, NULL, waits, NULL);
    if (read(ready[0], &byte, 1) != 1) return 2;
    if (argv[1][0] == 'h') {
        void *blocks[64] = {NULL};
        unsigned i = 1;
        signal(SIGALRM, on_alarm);
        pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
        while (handled < 1000) {
            i = i * 1103515245 + 12345;
            free(blocks[i >> 16 & 63]);
            blocks[i >> 16 & 63] = malloc(1500 + (i >> 8) % 4000);
        }
        setitimer(ITIMER_REAL, &never, NULL);
    }
    joulemark_end("main");
    joulemark_shutdown();
    close(gate[1]);
    pthread_join(thread, NULL);
    return status != 0;
}
