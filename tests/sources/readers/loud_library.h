/*
 * What libraries of vendors do when they are loaded and called: with -DLOUD a stand-in prints to both
 * of the standard streams, and leaves the file that FAKE_LOADED names.
 */
#ifdef LOUD
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void loud(const char *what) {
  fprintf(stderr, "foreign: %s\n", what);
  printf("foreign: %s\n", what);
  fflush(stdout);
}

__attribute__((constructor)) static void loaded(void) {
  const char *path = getenv("FAKE_LOADED");
  if (path != NULL) close(open(path, O_WRONLY | O_CREAT, 0644));
  loud("loaded");
}
#else
#define loud(what) ((void)0)
#endif
