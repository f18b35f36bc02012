! Calls beyond GEOPM's list by the interface of Fortran 2008, two ranks, the error argument left out.
program mpi_all
  use mpi_f08
  implicit none
  integer :: rank, x, y(3)
  logical :: done
  type(MPI_Request) :: request
  type(MPI_File) :: file
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  x = rank
  call MPI_Irecv(y, 3, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, request)
  call MPI_Send([1, 2, 3], 3, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD)
  done = .false.
  do while (.not. done)
    call MPI_Test(request, done, MPI_STATUS_IGNORE)
  end do
  if (any(y /= [1, 2, 3])) stop 9
  call MPI_File_open(MPI_COMM_WORLD, "mpi_all_f.data", MPI_MODE_CREATE + MPI_MODE_RDWR, &
    MPI_INFO_NULL, file)
  call MPI_File_write_at(file, int(4 * rank, MPI_OFFSET_KIND), x, 1, MPI_INTEGER, status)
  call MPI_File_close(file)
  call MPI_Finalize()
end program
