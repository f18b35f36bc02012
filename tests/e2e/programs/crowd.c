/*
 * One of many processes, each of which marks "work" 100 times: crowd KIND. Some then do what
 * processes do: die in a region, fork, exec, close all descriptors, have long and many names.
 */
#include "joulemark.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

static void work(void) {
    for (int i = 0; i < 100; i++) {
        joulemark_begin("work");
        joulemark_end("work");
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    work();
    if (strcmp(kind, "killed") == 0) {
        joulemark_begin("fatal");
        raise(SIGKILL);
    } else if (strcmp(kind, "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            work();
            exit(0);
        }
        waitpid(child, NULL, 0);
    } else if (strcmp(kind, "exec") == 0) {
        execl(argv[0], argv[0], "plain", (char *)NULL);
    } else if (strcmp(kind, "close") == 0) {
        for (int fd = 0; fd < 1024; fd++) close(fd);
        for (int i = 0; i < 300; i++) {
            char name[32];
            snprintf(name, sizeof name, "closed %d", i);
            joulemark_begin(name);
            joulemark_end(name);
        }
    } else if (strcmp(kind, "long") == 0) {
        static char name[4097];
        memset(name, 'n', 4096);
        joulemark_begin(name);
        joulemark_end(name);
    } else if (strcmp(kind, "names") == 0) {
        for (int i = 0; i < 140000; i++) {
            char name[32];
            snprintf(name, sizeof name, "name %d", i);
            joulemark_begin(name);
            joulemark_end(name);
        }
    }
    return 0;
}
