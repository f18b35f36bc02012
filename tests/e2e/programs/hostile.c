/* Names that try to break out of the report, and calls in the wrong order. */
#include "joulemark.h"

int main(void) {
    static const char *const names[] = {
        "line\nbreak: 1", "quote\"inside", "  - yaml: [", "#comment", "tab\there", "\x1b[31mred",
        "{a: b}", "null", "'", "r\xc3\xa9gion", "\xff\xfe bytes",
    };
    static char longest[1 << 20];
    unsigned i;
    memset(longest, 'x', sizeof longest - 1);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        joulemark_begin(names[i]);
        usleep(1000);
        joulemark_end(names[i]);
    }
    joulemark_begin(longest);
    joulemark_end(longest);
    joulemark_end("never begun");
    joulemark_begin("left open");
    return 0;
}
