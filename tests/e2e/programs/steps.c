/* A loop of epochs, each with one region: argv[1] steps of argv[2] milliseconds. */
#include <stdlib.h>
#include <unistd.h>

#include "joulemark.h"

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 10;
    int ms = argc > 2 ? atoi(argv[2]) : 20;
    for (int i = 0; i < steps; i++) {
        joulemark_epoch();
        joulemark_begin("step");
        usleep((useconds_t)ms * 1000);
        joulemark_end("step");
    }
    return 0;
}
