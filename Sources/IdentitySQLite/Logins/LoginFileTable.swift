internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

/// The file of pending logins of one boot: 256 buckets of 64 entries, then a slot for each entry.
///
/// A slot contains the tenant's name and the sealed record of a login. The last byte of a login's hash is the number of its bucket. A new
/// login gets the free entry with the lowest number in its bucket, so that the file stays short. An entry whose last byte is 0 is free, so
/// an empty file is an empty table.
///
/// Each call needs the lock of the file (``exclusively(_:)``). Because a process may be killed between two writes, `insert` writes the slot
/// before the entry, and `remove` is one write: it sets the last byte of the entry to 0.
///
/// A loss of power may damage the file. So its name contains the id of the boot, and a file of another boot is never read.
final class LoginFileTable {
    private static let bucketCount = 256
    private static let bucketSize = 4_096
    /// The length of a slot in bytes: a record, and 256 bytes for the tenant's name.
    private static let slotSize = recordSize + 256
    /// The length of a record in bytes; a login with a longer record does not fit.
    static let recordSize = 2_048
    static let lockedByte: Int64 = 1 << 40

    private let descriptor: Int32
    private var counter = TenantRowCounter()

    init(_ path: String) throws(IdentityError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .logins("cannot be opened", errno) }
    }

    deinit {
        _ = close(descriptor)
    }

    /// Runs a body under the lock of the file; nil if another process holds the lock.
    func exclusively<R>(_ body: (LoginFileTable) throws -> R) throws -> R? {
        switch Platform.setLock(descriptor, byte: Self.lockedByte, isLocked: true) {
        case 0: break
        case EAGAIN, EACCES: return nil
        case let error: throw IdentityError.logins("cannot be locked", error)
        }
        defer { _ = Platform.setLock(descriptor, byte: Self.lockedByte, isLocked: false) }
        return try body(self)
    }

    var isRemoved: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    // MARK: Logins

    /// Adds a login, or replaces the login with the same hash; false if the login is too long or its bucket is full.
    ///
    /// If a count shows that the tenant already had `maximum` logins, the tenant's logins that expire first are removed. The new login is
    /// written before that, so that no login is removed if the disk is full. If the process is killed during the call, the file can contain
    /// one login too many, or both logins with the hash. If the result is false, the file is not changed.
    func insert(_ row: SealedLoginAttempt, maximum: Int) throws -> Bool {
        let entries = try entries(of: Self.bucket(of: row.hash))
        let old = entries.filter { $0.isValid && $0.hash == row.hash }
        let bytes = Array(row.tenant.utf8) + row.record
        guard bytes.count <= Self.slotSize, let free = entries.first(where: { !$0.isValid }) else { return false }
        let entry = Entry(row, tenant: try Self.tag(of: row.tenant), at: free.place)
        try write(bytes, at: Self.slot(of: entry.place))
        try write(entry.bytes, at: Self.offset(of: entry.place))
        for entry in old { try remove(entry) }
        try removeExcess(besides: entry, of: row.tenant, maximum)
        return true
    }

    /// Whether the file still contains a login with the record that was read before.
    func contains(_ row: SealedLoginAttempt) throws -> Bool {
        try self.row(row.hash)?.record == row.record
    }

    func row(_ hash: [UInt8]) throws -> SealedLoginAttempt? {
        try entries(of: Self.bucket(of: hash)).first { $0.isValid && $0.hash == hash }.map(row)
    }

    /// Removes the login with a hash, or both logins if a process was killed in ``insert(_:maximum:)`` and left two.
    func remove(_ hash: [UInt8]) throws {
        for entry in try entries(of: Self.bucket(of: hash)) where entry.isValid && entry.hash == hash {
            try remove(entry)
        }
    }

    func row(_ entry: Entry) throws -> SealedLoginAttempt {
        let bytes = try read(min(entry.tenantCount + entry.recordCount, Self.slotSize), at: Self.slot(of: entry.place))
        return SealedLoginAttempt(
            hash: entry.hash,
            tenant: String(decoding: bytes.prefix(entry.tenantCount), as: UTF8.self),
            expiresAt: entry.expiresAt,
            record: Array(bytes.dropFirst(entry.tenantCount))
        )
    }

    func remove(_ entry: Entry) throws {
        try write([0], at: Self.offset(of: entry.place) + Entry.count - 1)
    }

    func entries() throws -> [Entry] {
        let bytes = try read(Self.bucketCount * Self.bucketSize, at: 0)
        return (0..<Self.bucketCount).flatMap { Self.entries(in: bytes, from: $0 * Self.bucketSize, of: $0) }
            .filter(\.isValid)
    }

    private func removeExcess(besides new: Entry, of tenant: String, _ maximum: Int) throws {
        guard counter.addRow(of: tenant, limit: maximum) else { return }
        let own = try entries().filter { $0.tenant == new.tenant && $0.hash != new.hash }
        guard own.count >= maximum else { return }
        for entry in own.sorted(by: { $0.expiresAt < $1.expiresAt }).prefix(own.count - maximum + 1) {
            try remove(entry)
        }
    }

    // MARK: Places

    typealias Place = (bucket: Int, number: Int)

    private static func bucket(of hash: [UInt8]) -> Int { Int(hash.last ?? 0) }

    private static func offset(of place: Place) -> Int { place.bucket * bucketSize + place.number * Entry.count }

    private static func slot(of place: Place) -> Int {
        bucketCount * bucketSize + (place.number * bucketCount + place.bucket) * slotSize
    }

    private static func tag(of tenant: String) throws -> [UInt8] {
        do {
            return Array(try Digest.sha256(utf8: tenant).prefix(16))
        } catch {
            throw IdentityError.sealingUnavailable(error)
        }
    }

    private func entries(of bucket: Int) throws -> [Entry] {
        Self.entries(in: try read(Self.bucketSize, at: bucket * Self.bucketSize), from: 0, of: bucket)
    }

    private static func entries(in bytes: [UInt8], from start: Int, of bucket: Int) -> [Entry] {
        (0..<bucketSize / Entry.count).map { number in
            let first = start + number * Entry.count
            return Entry(bytes[first..<first + Entry.count], at: (bucket, number))
        }
    }

    // MARK: The file

    /// Reads bytes; bytes beyond the end of the file are zeros.
    private func read(_ count: Int, at offset: Int) throws(IdentityError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard Descriptor.read(descriptor, at: offset, into: &bytes) != nil else {
            throw .logins("cannot be read", errno)
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(IdentityError) {
        guard Descriptor.write(bytes, to: descriptor, at: offset) else { throw .logins("cannot be written", errno) }
    }
}

extension LoginFileTable {
    /// An entry of a bucket, with 64 bytes in the file; numbers are big-endian.
    ///
    /// - 32 bytes: the hash of the login's key
    /// - 16 bytes: the first bytes of the SHA-256 digest of the tenant's name
    /// - 8 bytes: the expiry in seconds since the beginning of 2001, as the bits of a `Double`
    /// - 2 bytes: the length of the tenant's name in bytes
    /// - 4 bytes: the length of the record in bytes
    /// - 1 byte: zero
    /// - 1 byte: 1 if the entry is valid
    struct Entry {
        static let count = 64

        let bytes: [UInt8]
        let place: Place

        fileprivate init(_ bytes: ArraySlice<UInt8>, at place: Place) {
            // Most entries are free, and no code uses their bytes.
            self.bytes = bytes.last == 1 ? Array(bytes) : []
            self.place = place
        }

        fileprivate init(_ row: SealedLoginAttempt, tenant: [UInt8], at place: Place) {
            let expiry = row.expiresAt.timeIntervalSinceReferenceDate.bitPattern
            bytes =
                row.hash + tenant + Self.number(expiry, 8) + Self.number(UInt64(row.tenant.utf8.count), 2)
                + Self.number(UInt64(row.record.count), 4) + [0, 1]
            self.place = place
        }

        var isValid: Bool { bytes.count == Self.count }
        var hash: [UInt8] { Array(bytes[..<32]) }
        var tenant: [UInt8] { Array(bytes[32..<48]) }
        var expiresAt: Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: number(48..<56))) }
        var tenantCount: Int { Int(number(56..<58)) }
        var recordCount: Int { Int(number(58..<62)) }

        private func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }

        private static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
        }
    }
}

extension IdentityError {
    static func logins(_ problem: String, _ error: Int32) -> IdentityError {
        fileFailed(
            "The store's file of pending logins \(problem)",
            error,
            hint:
                "Check that the store's directory was not moved and that the disk works. Check the limit of open files (ulimit -n)."
        )
    }
}
