/* Is standard output a terminal, and of what size? */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void) {
    struct winsize size = {0, 0, 0, 0};
    ioctl(1, TIOCGWINSZ, &size);
    printf("%s %d %d\n", isatty(1) ? "terminal" : "none", size.ws_row, size.ws_col);
    printf("\ttabs\tand \033[1mcolours\033[0m\n");
    return 0;
}
