/* A node's energy counter that grows between the calls of pm_mpi_lib: FILE FIRST. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void pm_mpi_initialise(const char *log_file_name);
unsigned pm_mpi_record(int step, int substep, int initial_sync, int initial_rec);
void pm_mpi_finalise(void);
#pragma weak pm_mpi_initialise
#pragma weak pm_mpi_record
#pragma weak pm_mpi_finalise

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  unsigned long long joules = strtoull(argv[2], NULL, 10);
  if (pm_mpi_initialise) pm_mpi_initialise(NULL);
  for (int step = 1; step <= 4; step++) {
    usleep(60000);
    FILE *file = fopen(argv[1], "w");
    if (file == NULL) return 1;
    fprintf(file, "%llu J\n", joules += step);
    fclose(file);
    usleep(60000);
    if (pm_mpi_record) pm_mpi_record(step, 1, 0, 0);
  }
  usleep(30000);
  if (pm_mpi_finalise) pm_mpi_finalise();
  return 0;
}
