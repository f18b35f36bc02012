/*
 * lives KIND: marks at the edges of a process's life, and of those that it makes. ends: before main(), in
 * an exit handler and in a destructor; spawn: children by posix_spawn(3) and vfork(2); unload: a library
 * that is loaded, marks, is unloaded, three times; threads: four that mark and allocate. With -DLIBRARY
 * that library, ./lives.so.
 */
#include "joulemark.h"
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static void work(const char *name) {
    joulemark_begin(name);
    joulemark_end(name);
}

#ifdef LIBRARY
__attribute__((constructor)) static void loaded(void) { work("library's constructor"); }
__attribute__((destructor)) static void unloaded(void) { work("library's destructor"); }
void marks(void);
void marks(void) { work("library"); }
#else
static const char *kind = "";

__attribute__((constructor)) static void before(void) { work("constructor"); }
__attribute__((destructor)) static void after(void) { work("destructor"); }
static void at_exit(void) { work("exit handler"); }

static void *allocates(void *unused) {
    int i;
    for (i = 0; i < 1000; i++) {
        char *block;
        joulemark_begin("thread");
        block = malloc((size_t)i + 1);
        if (block) block[0] = 1;
        free(block);
        joulemark_end("thread");
    }
    return unused;
}

int main(int argc, char **argv) {
    int i;
    if (argc > 1) kind = argv[1];
    work("main");
    if (strcmp(kind, "ends") == 0) atexit(at_exit);
    if (strcmp(kind, "spawn") == 0) {
        char *args[] = {argv[0], (char *)"child", NULL};
        pid_t pid;
        if (posix_spawn(&pid, argv[0], NULL, NULL, args, environ) != 0) return 1;
        pid = vfork();
        if (pid == 0) {
            execv(argv[0], args);
            _exit(127);
        }
        while (wait(NULL) > 0) continue;
    }
    if (strcmp(kind, "unload") == 0) {
        for (i = 0; i < 3; i++) {
            void *library = dlopen("./lives.so", RTLD_NOW);
            void (*library_marks)(void) =
                library ? (void (*)(void))dlsym(library, "marks") : NULL;
            if (!library_marks) return 1;
            library_marks();
            dlclose(library);
            work("between");
        }
    }
    if (strcmp(kind, "threads") == 0) {
        pthread_t threads[4];
        for (i = 0; i < 4; i++) pthread_create(&threads[i], NULL, allocates, NULL);
        for (i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    }
    return 0;
}
#endif
