/*
 * images KIND: "work" once; then exec: as another image ten times more; fork: four children that
 * end by _exit(0); killed: a child that a signal ends; kept: one whose status is taken a second
 * later; open: likewise, and it ends in a region; long BYTES: two names that differ at the end.
 */
#include "joulemark.h"
#include <signal.h>
#include <sys/wait.h>

static void work(int times) {
    while (times-- > 0) {
        joulemark_begin("work");
        joulemark_end("work");
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    int i;
    if (strcmp(kind, "second") == 0) {
        work(10);
        return 0;
    }
    work(1);
    if (strcmp(kind, "exec") == 0) {
        execl(argv[0], argv[0], "second", (char *)NULL);
        return 1;
    }
    if (strcmp(kind, "kept") == 0 || strcmp(kind, "open") == 0) {
        siginfo_t ended;
        if (fork() == 0) {
            work(1);
            if (kind[0] == 'o') joulemark_begin("open");
            sleep(1);
            raise(SIGHUP);
        }
        /* It has ended, and nobody takes its status for a while. */
        waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
        sleep(1);
        wait(NULL);
    }
    if (strcmp(kind, "fork") == 0 || strcmp(kind, "killed") == 0) {
        for (i = 0; i < (kind[0] == 'f' ? 4 : 1); i++) {
            if (fork() == 0) {
                work(1);
                /* Seen alive at least once: else nobody knows how it ended. */
                if (kind[0] == 'k') {
                    sleep(1);
                    raise(SIGKILL);
                }
                _exit(0);
            }
        }
        while (wait(NULL) > 0) {
        }
    }
    if (strcmp(kind, "long") == 0 && argc > 2) {
        size_t length = (size_t)atol(argv[2]);
        char *name = malloc(length + 1);
        memset(name, 'n', length);
        name[length] = 0;
        for (i = 1; i <= 2; i++) {
            name[length - 1] = (char)('0' + i);
            joulemark_begin(name);
            joulemark_end(name);
        }
        free(name);
    }
    return 0;
}
