/* TAU's user events of two threads and a forked child. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((weak)) extern void *Tau_get_userevent(const char *);
__attribute__((weak)) extern void Tau_userevent(void *, double);
__attribute__((weak)) extern void Tau_trigger_userevent(const char *, double);

static void *triggers(void *event) {
    int i;
    for (i = 1; i <= 1000; i++) Tau_userevent(event, i);
    return NULL;
}

int main(void) {
    pthread_t thread;
    void *event = Tau_get_userevent("bytes sent");
    if (pthread_create(&thread, NULL, triggers, event) != 0) return 1;
    triggers(event);
    pthread_join(thread, NULL);
    Tau_trigger_userevent("by name, é", -0.25);
    Tau_trigger_userevent("by name, é", 0.0 / 0.0); /* no number */
    fflush(stdout);
    if (fork() == 0) {
        triggers(event);
        return 0;
    }
    return wait(NULL) < 0;
}
