/* A parent that includes the header and never marks; its child does. */
#include "joulemark.h"
#include <sys/wait.h>

int main(void) {
    struct timespec rest = {0, 50000000};
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 4; i++) {
            joulemark_epoch();
            joulemark_begin("work");
            nanosleep(&rest, NULL);
            joulemark_end("work");
        }
        _exit(0);
    }
    return waitpid(child, NULL, 0) == child ? 0 : 1;
}
