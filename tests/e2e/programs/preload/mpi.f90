! As mpi.c, by the older Fortran interface.
program mpi_calls
  use mpi
  implicit none
  integer :: rank, size, error, i, status(MPI_STATUS_SIZE)
  double precision :: x, y
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  do i = 1, 25
    x = rank
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (y /= size * (size - 1) / 2) stop 9
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Sendrecv(x, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 7, y, 1, &
      MPI_DOUBLE_PRECISION, mod(rank + size - 1, size), 7, MPI_COMM_WORLD, status, error)
    if (y /= mod(rank + size - 1, size) .or. status(MPI_TAG) /= 7) stop 9
  end do
  call MPI_Finalize(error)
end program
