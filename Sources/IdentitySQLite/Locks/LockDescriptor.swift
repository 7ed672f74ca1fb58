internal import CIdentitySQLite
internal import IdentityKit
internal import IdentityPlatform

/// An open file description of the lock file, with which a process locks single bytes of the file (`F_OFD_SETLK`).
///
/// Two instances exclude each other, even in one process. The kernel releases the locks when the process ends, also after a crash. Unlike
/// classic `fcntl` locks, these locks stay when the process closes another descriptor of the file.
final class LockDescriptor {
    enum Byte {
        /// Locked by the process that writes, or that makes the writes of other processes wait, for example during a backup.
        static let writer: Int64 = 0
        /// Locked by the process that waits for the byte `writer` and gets it next.
        static let turnstile: Int64 = 1

        /// The byte of a named lock (`LockName`), from the keyed hash of the name.
        static func lock(_ hash: [UInt8]) -> Int64 {
            let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return 16 + Int64(number >> 2)
        }
    }

    private var descriptor: Int32

    init(path: String) throws(IdentityError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let error = errno
            if error == EACCES || error == EROFS || error == EPERM { throw .storeReadOnly() }
            throw IdentityError(
                error == EMFILE || error == ENFILE ? .retryLater : .configuration,
                .storeFailed,
                "The store's lock file cannot be opened (errno \(error)).",
                hint:
                    "Check that the store's directory exists, and that its disk has space. Check also that the lock file is not a symbolic "
                    + "link, and that the limit of open files (ulimit -n) is not reached."
            )
        }
    }

    deinit {
        close()
    }

    func tryLock(_ byte: Int64) throws(IdentityError) -> Bool {
        switch Platform.setLock(descriptor, byte: byte, isLocked: true) {
        case 0: return true
        case EAGAIN, EACCES: return false
        case let error:
            throw IdentityError(
                .configuration,
                .storeFailed,
                "The store's lock file cannot be locked (errno \(error)).",
                hint: """
                    Put the store on a local disk whose file system supports byte-range locks (fcntl). If the store is on such a disk, \
                    free memory and try again, because the kernel may have too little memory for another lock.
                    """
            )
        }
    }

    func unlock(_ byte: Int64) {
        _ = Platform.setLock(descriptor, byte: byte, isLocked: false)
    }

    /// Closes the file, which releases all locks of this descriptor.
    func close() {
        guard descriptor >= 0 else { return }
        _ = IdentityPlatform.close(descriptor)
        descriptor = -1
    }

    /// Whether the path still names this file.
    ///
    /// If the path names another file, a process that opens the path later is not excluded by the locks of this descriptor.
    func isFile(at path: String) -> Bool {
        var ours = stat()
        var theirs = stat()
        guard unsafe fstat(descriptor, &ours) == 0, unsafe lstat(path, &theirs) == 0 else { return false }
        return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
    }

    /// Whether ``mark()`` has recorded in the lock file that a store exists beside it.
    ///
    /// An empty database file beside a marked lock file is not new: it has lost its content.
    var isMarked: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_size > 0
    }

    func mark() {
        guard !isMarked else { return }
        let note = Array("Lock file of an IdentityKit store. Keep it beside the database.\n".utf8)
        _ = unsafe pwrite(descriptor, note, note.count, 0)
    }
}
