/*
 * Steps of pm_mpi_lib over counter files that rank 0 advances: pm_steps DIRECTORY LOG. Files are written
 * in place, by numbers of one width, so that whoever reads meanwhile reads one of two whole values.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

void pm_mpi_initialise(const char *log_file_name);
unsigned pm_mpi_record(int step, int substep, int initial_sync, int initial_rec);
void pm_mpi_finalise(void);

/* Longer than any sampling period: the figures of before are read by all before others come. */
#define SETTLED_US 120000

static const struct { const char *name; unsigned long start, rate; const char *unit; } counters[] = {
    {"energy", 7123456789ul, 997, "J"},
    {"power", 1200, 7, "W"},
    {"cpu_energy", 3123456789ul, 401, "J"},
    {"cpu_power", 1100, 3, "W"},
    {"memory_energy", 2123456789ul, 101, "J"},
    {"memory_power", 1050, 1, "W"},
    {"freshness", 100000, 1, ""},
};

static int advance(const char *directory, unsigned long step) {
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        char path[4096], text[64];
        int length, fd;
        (void)snprintf(path, sizeof path, "%s/%s", directory, counters[i].name);
        length = snprintf(text, sizeof text, "%lu %s\n",
                          counters[i].start + counters[i].rate * step * step, counters[i].unit);
        fd = open(path, O_WRONLY);
        if (fd < 0 || pwrite(fd, text, (size_t)length, 0) != length) return 1;
        (void)close(fd);
    }
    return 0;
}

int main(int argc, char **argv) {
    int rank, failed = 0;
    if (argc < 3 || MPI_Init(&argc, &argv) != MPI_SUCCESS) return 2;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)usleep(SETTLED_US);
    pm_mpi_initialise(argv[2]);
    for (unsigned long step = 1; step <= 6; step++) {
        (void)usleep(SETTLED_US);
        if (rank == 0) failed |= advance(argv[1], step);
        (void)MPI_Barrier(MPI_COMM_WORLD);
        (void)usleep(SETTLED_US);
        (void)pm_mpi_record((int)step, 1, 1, step % 2 == 0);
        (void)pm_mpi_record((int)step, 2, 0, 0);
    }
    (void)usleep(SETTLED_US);
    pm_mpi_finalise();
    (void)MPI_Finalize();
    return failed;
}
