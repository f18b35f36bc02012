/* Enters a region and is killed there; "calm" leaves another process that ends in good order. */
#include "joulemark.h"
#include <signal.h>

int main(int argc, char **argv) {
    (void)argv;
    joulemark_begin("fatal");
    usleep(50000);
    if (argc < 2) raise(SIGKILL);
    joulemark_end("fatal");
    return 0;
}
