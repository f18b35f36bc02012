! As mpi.c, by the interface of Fortran 2008: the error argument is left out.
program mpi_calls
  use mpi_f08
  implicit none
  integer :: rank, size, i
  double precision :: x, y
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  do i = 1, 25
    x = rank
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (y /= size * (size - 1) / 2) stop 9
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Sendrecv(x, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 7, y, 1, &
      MPI_DOUBLE_PRECISION, mod(rank + size - 1, size), 7, MPI_COMM_WORLD, status)
    if (y /= mod(rank + size - 1, size) .or. status%MPI_TAG /= 7) stop 9
  end do
  call MPI_Finalize()
end program
