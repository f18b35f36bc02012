/* Steps logged by pm_mpi_lib as its document has it: into the file named, else into ./PMC. */
#include <stdio.h>
#include <time.h>

extern int pm_mpi_open(char *) __attribute__((weak));
extern int pm_mpi_monitor(int, int) __attribute__((weak));
extern int pm_mpi_close(void) __attribute__((weak));

int main(int count, char **words) {
    struct timespec t = {0, 120000000};
    if (!pm_mpi_open) return 3;
    if (pm_mpi_open(count > 1 ? words[1] : NULL) != 0) return 4;
    for (int i = 1; i <= 3; i++) {
        nanosleep(&t, NULL);
        pm_mpi_monitor(i, 1);
    }
    return pm_mpi_close();
}
