/* Every kind of mark and attribute that Caliper's C interface has, with its own headers. */
#include <caliper/cali.h>

static void halo(void) {
    CALI_MARK_FUNCTION_BEGIN;
    CALI_MARK_COMM_REGION_BEGIN("halo");
    CALI_MARK_COMM_REGION_END("halo");
    CALI_MARK_FUNCTION_END;
}

static void regions(void) {
    CALI_MARK_LOOP_BEGIN(steps, "first loop"); /* before anything else started Caliper */
    for (int i = 0; i < 3; i++) {
        CALI_MARK_ITERATION_BEGIN(steps, i);
        halo();
        CALI_MARK_ITERATION_END(steps);
    }
    CALI_MARK_LOOP_END(steps);
    CALI_MARK_PHASE_BEGIN("phase");
    CALI_WRAP_STATEMENT("statement", halo());
    CALI_MARK_PHASE_END("phase");
    cali_begin_string(cali_find_attribute("region"), "by attribute");
    cali_end(cali_find_attribute("region"));
}

static void attributes(void) {
    cali_id_t value = cali_create_attribute("value", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
    cali_id_t text = cali_create_attribute("text", CALI_TYPE_STRING, CALI_ATTR_NESTED);
    cali_id_t over = cali_create_attribute("over", CALI_TYPE_STRING, CALI_ATTR_UNALIGNED);
    cali_id_t level = cali_create_attribute("level", CALI_TYPE_INT, CALI_ATTR_NESTED);
    cali_id_t quiet = cali_create_attribute("quiet", CALI_TYPE_INT, CALI_ATTR_SKIP_EVENTS);
    cali_id_t process = cali_create_attribute("process", CALI_TYPE_DOUBLE,
                                              CALI_ATTR_SCOPE_PROCESS | CALI_ATTR_ASVALUE);
    cali_begin_int(value, 5);
    cali_begin_string(text, "outer");
    cali_begin_int(level, 4);
    cali_begin_string(over, "lapping");
    cali_begin_string(text, "inner");
    cali_set_string(text, "replaced");
    cali_end(text);
    cali_end(level);
    cali_end(text);
    cali_end(over);
    cali_set_int(value, 6);
    cali_end(value);
    cali_set_double(process, 1.5);
    cali_begin_int(quiet, 3);
    cali_begin_region("region");
    cali_end_region("region");
    cali_end(quiet);
}

static void by_name(void) {
    cali_set_global_int_byname("global.int", 3);
    cali_set_global_string_byname("global.string", "x y");
    cali_set_global_double_byname("global.double", 2.5);
    cali_set_global_uint_byname("global.uint", 7);
    cali_begin_string_byname("string", "v");
    cali_end_byname("string");
    cali_begin_double_byname("double", 2.5);
    cali_end_byname("double");
    cali_set_int_byname("set.int", 4);
    cali_set_string_byname("set.string", "t");
    cali_set_double_byname("set.double", 4.25);
    cali_begin_byname("flag");
    cali_end_byname("flag");
    cali_push_snapshot(0, 0, NULL, NULL);
}

int main(void) {
    regions();
    attributes();
    by_name();
    return 0;
}
