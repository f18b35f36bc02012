/* What Caliper's Fortran module calls beneath its objects: an annotation, and the text of an error. */
#include <stdio.h>
#include <stdlib.h>

struct held { void *at; int end; };
struct array {
    struct held holder;
    const char *text;
    int type;
    size_t length, size;
    int rank;
    long shape[7];
};
struct held *cali_Annotation_new(const char *, struct held *);
void cali_Annotation_begin_int(struct held *, int);
void cali_Annotation_end(struct held *);
struct held *cali_ConfigManager_new(struct held *);
void cali_ConfigManager_add(struct held *, const char *);
void cali_ConfigManager_error_msg_bufferify(struct held *, struct array *);
void cali_ShroudCopyStringAndFree(struct array *, char *, size_t);
void cali_SHROUD_memory_destructor(struct held *);

int main(void) {
    struct held annotation, manager;
    struct array message;
    char *text;
    cali_Annotation_new("step", &annotation);
    cali_Annotation_begin_int(&annotation, 7);
    cali_Annotation_end(&annotation);
    cali_SHROUD_memory_destructor(&annotation);
    cali_ConfigManager_new(&manager);
    cali_ConfigManager_add(&manager, "no-such-report");
    cali_ConfigManager_error_msg_bufferify(&manager, &message);
    text = calloc(message.length + 1, 1);
    if (!text) return 1;
    cali_ShroudCopyStringAndFree(&message, text, message.length);
    printf("<%s> %zu %d\n", text, message.size, message.rank);
    cali_SHROUD_memory_destructor(&manager);
    printf("%d %d %d %d\n", annotation.at == NULL, annotation.end, manager.at == NULL, manager.end);
    free(text);
    return 0;
}
