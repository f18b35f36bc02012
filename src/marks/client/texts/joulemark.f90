! joulemark.f90: mark the regions of a Fortran program for joulemark.
!
!   use joulemark
!   call joulemark_begin("solve")
!   ...
!   call joulemark_end("solve")
!
! Marks of the main thread are the process's, by the rules of geopm_prof(3): a region inside a
! region changes the hint, and the outer one goes on. Marks of other threads are their own. Without
! a monitor every call returns after one test. In a hot loop a handle is quicker than a name:
!
!   integer(joulemark_kind) :: id
!   id = joulemark_region("dgemm", JOULEMARK_HINT_COMPUTE)
!   call joulemark_enter(id)
!
! Needs joulemark.h and joulemark_fortran.c beside it.
!
! Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
module joulemark
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int32_t, c_int64_t, c_size_t
  implicit none
  private

  integer, parameter, public :: joulemark_kind = c_int32_t, joulemark_span_kind = c_int64_t
  integer(c_int32_t), parameter, public :: JOULEMARK_HINT_UNKNOWN = 1, JOULEMARK_HINT_COMPUTE = 2, &
    JOULEMARK_HINT_MEMORY = 3, JOULEMARK_HINT_NETWORK = 4, JOULEMARK_HINT_IO = 5, &
    JOULEMARK_HINT_SERIAL = 6, JOULEMARK_HINT_PARALLEL = 7, JOULEMARK_HINT_IGNORE = 8, &
    JOULEMARK_HINT_INACTIVE = 9, JOULEMARK_HINT_SPIN = 10

  public :: joulemark_begin, joulemark_end, joulemark_region, joulemark_enter, joulemark_exit
  public :: joulemark_epoch, joulemark_progress_init, joulemark_progress_post
  public :: joulemark_overhead, joulemark_shutdown, joulemark_span_begin, joulemark_span_end
  public :: joulemark_set_int, joulemark_set_double, joulemark_set_string

  interface
    subroutine c_begin(name, length) bind(C, name="joulemark_fortran_begin")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine
    subroutine c_end(name, length) bind(C, name="joulemark_fortran_end")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine
    function c_region(name, length, hint) result(region) bind(C, name="joulemark_fortran_region")
      import :: c_char, c_int32_t, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int32_t), value :: hint
      integer(c_int32_t) :: region
    end function
    function c_span_begin(name, length) result(span) bind(C, name="joulemark_fortran_span_begin")
      import :: c_char, c_int64_t, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int64_t) :: span
    end function
    subroutine c_set_int(name, length, value) bind(C, name="joulemark_fortran_set_int")
      import :: c_char, c_int64_t, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int64_t), value :: value
    end subroutine
    subroutine c_set_double(name, length, value) bind(C, name="joulemark_fortran_set_double")
      import :: c_char, c_double, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      real(c_double), value :: value
    end subroutine
    subroutine c_set_string(name, length, value, size) bind(C, name="joulemark_fortran_set_string")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_size_t), value :: length, size
    end subroutine
    !> Ends a span, on any thread.
    subroutine joulemark_span_end(span) bind(C, name="joulemark_fortran_span_end")
      import :: c_int64_t
      integer(c_int64_t), value :: span
    end subroutine
    !> Begins and ends the region of a handle.
    subroutine joulemark_enter(region) bind(C, name="joulemark_fortran_enter")
      import :: c_int32_t
      integer(c_int32_t), value :: region
    end subroutine
    subroutine joulemark_exit(region) bind(C, name="joulemark_fortran_exit")
      import :: c_int32_t
      integer(c_int32_t), value :: region
    end subroutine
    !> A time step of the program's outer loop begins.
    subroutine joulemark_epoch() bind(C, name="joulemark_fortran_epoch")
    end subroutine
    !> Work units that the region will do on all CPUs of the process; and one of them done.
    subroutine joulemark_progress_init(units) bind(C, name="joulemark_fortran_progress_init")
      import :: c_int32_t
      integer(c_int32_t), value :: units
    end subroutine
    subroutine joulemark_progress_post() bind(C, name="joulemark_fortran_progress_post")
    end subroutine
    !> Seconds that the program spent on marking by other means.
    subroutine joulemark_overhead(seconds) bind(C, name="joulemark_fortran_overhead")
      import :: c_double
      real(c_double), value :: seconds
    end subroutine
    !> The program ends in good order; comes by itself at its end.
    subroutine joulemark_shutdown() bind(C, name="joulemark_fortran_shutdown")
    end subroutine
  end interface

contains

  !> Begins a region. Blanks at the end of the name do not count.
  subroutine joulemark_begin(name)
    character(len=*), intent(in) :: name
    call c_begin(name, len(name, c_size_t))
  end subroutine

  !> Ends the region of this name that was begun last.
  subroutine joulemark_end(name)
    character(len=*), intent(in) :: name
    call c_end(name, len(name, c_size_t))
  end subroutine

  !> Begins a span, which may overlap others and end on another thread; the number that ends it.
  function joulemark_span_begin(name) result(span)
    character(len=*), intent(in) :: name
    integer(c_int64_t) :: span
    span = c_span_begin(name, len(name, c_size_t))
  end function

  !> Sets a value that holds from here on, until it is set again. It is no region.
  subroutine joulemark_set_int(name, value)
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    call c_set_int(name, len(name, c_size_t), int(value, c_int64_t))
  end subroutine

  subroutine joulemark_set_double(name, value)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    call c_set_double(name, len(name, c_size_t), value)
  end subroutine

  subroutine joulemark_set_string(name, value)
    character(len=*), intent(in) :: name, value
    call c_set_string(name, len(name, c_size_t), value, len(value, c_size_t))
  end subroutine

  !> Registers a name with a hint; the handle for joulemark_enter and joulemark_exit.
  function joulemark_region(name, hint) result(region)
    character(len=*), intent(in) :: name
    integer(c_int32_t), intent(in), optional :: hint
    integer(c_int32_t) :: region
    if (present(hint)) then
      region = c_region(name, len(name, c_size_t), hint)
    else
      region = c_region(name, len(name, c_size_t), JOULEMARK_HINT_UNKNOWN)
    end if
  end function

end module joulemark
