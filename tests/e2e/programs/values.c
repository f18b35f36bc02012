/* Values beside the regions. */
#include "joulemark.h"

int main(void) {
    joulemark_begin("solve");
    joulemark_set_int("step", -7);
    joulemark_set_int("large", INT64_MAX);
    joulemark_set_double("eps", 0.25);
    joulemark_set_string("mode", "fast");
    joulemark_end("solve");
    return 0;
}
