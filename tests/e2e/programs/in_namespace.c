/* in_namespace NAME SECONDS: so long in a region; then it ends as END says. */
#include "joulemark.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    joulemark_begin(argv[1]);
    usleep((useconds_t)(1e6 * atof(argv[2])));
    joulemark_end(argv[1]);
    END;
    return 0;
}
