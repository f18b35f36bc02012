! Three quarters of the time in heavy, one quarter in light.
module heat
  implicit none
  real(8) :: sink = 0
contains
  subroutine heavy(n)
    integer, intent(in) :: n
    integer :: i
    real(8) :: s
    s = 0
    do i = 1, n
      s = s + i * 0.5d0
    end do
    sink = s
  end subroutine
  subroutine light(n)
    integer, intent(in) :: n
    integer :: i
    real(8) :: s
    s = 0
    do i = 1, n
      s = s + i * 0.25d0
    end do
    sink = sink + s
  end subroutine
end module

program shares
  use heat
  implicit none
  integer :: k
  do k = 1, 1500
    call heavy(600000)
    call light(200000)
  end do
  print '(a)', 'done'
  call exit(3)
end program
