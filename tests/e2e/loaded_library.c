/* A library that leaves a file where it is loaded. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void) {
  close(open("loaded", O_CREAT | O_WRONLY, 0600));
}

/** NVML_ERROR_UNKNOWN: it drives no GPU. */
int nvmlInit_v2(void) {
  return 999;
}
