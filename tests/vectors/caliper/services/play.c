/* Plays a script of annotations, one a line on stdin, so that Caliper records it: see README.md. */
#include <caliper/cali.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char line[256];
    cali_init();
    while (fgets(line, sizeof line, stdin)) {
        char op[32], name[64];
        double x = 0;
        int n = sscanf(line, "%31s %63s %lf", op, name, &x);
        if (n < 1) continue;
        if (!strcmp(op, "begin")) cali_begin_region(name);
        else if (!strcmp(op, "end")) cali_end_region(name);
        else if (!strcmp(op, "loop")) cali_begin_string(cali_loop_attr_id, name);
        else if (!strcmp(op, "endloop")) cali_end(cali_loop_attr_id);
        else if (!strcmp(op, "iter")) cali_begin_int(cali_make_loop_iteration_attribute(name), (int) x);
        else if (!strcmp(op, "enditer")) cali_end(cali_make_loop_iteration_attribute(name));
        else if (!strcmp(op, "wait")) usleep((useconds_t) (atof(name) * 1000));
        else if (!strcmp(op, "double")) cali_set_double(cali_create_attribute(name, CALI_TYPE_DOUBLE,
            CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS), x);
        else if (!strcmp(op, "metric")) cali_set_double(cali_create_attribute(name, CALI_TYPE_DOUBLE,
            CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS | CALI_ATTR_AGGREGATABLE), x);
        else if (!strcmp(op, "whole")) cali_set_int(cali_create_attribute(name, CALI_TYPE_INT,
            CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS | CALI_ATTR_AGGREGATABLE), (int) x);
        else if (!strcmp(op, "snapshot")) cali_push_snapshot(0, 0, NULL, NULL);
        else {
            fprintf(stderr, "unknown operation %s\n", op);
            return 1;
        }
    }
    return 0;
}
