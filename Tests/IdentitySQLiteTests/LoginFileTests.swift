import FoundationEssentials
import IdentityKit
import IdentityPlatform
import IdentityStoreKit
import IdentityTesting
import Synchronization
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("The file of pending logins")
struct LoginFileTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    private func open(
        boot: String? = "boot 1",
        _ change: (inout SQLiteStore.Configuration) -> Void = { _ in }
    ) async throws -> SQLiteStore {
        try await directory.open {
            $0.bootID = { boot }
            change(&$0)
        }
    }

    private func durableLogins(_ store: SQLiteStore) async throws -> String? {
        try await store.database.read { try $0.texts("SELECT count(*) FROM login_attempt").first }
    }

    @Test("a pending login is seen by other processes, survives the end of the process, and is not in the database")
    func sharing() async throws {
        let first = try await open()
        try await first.insert(sampleAttempt("a"))
        try await first.insert(sampleAttempt("b"))
        #expect(try await durableLogins(first) == "0")
        #expect(directory.mode(directory.logins) == 0o700)
        #expect(directory.mode(try directory.loginFile) == 0o600)
        let second = try await open()
        #expect(try await second.takeLoginAttempt("a") != nil)
        #expect(try await first.takeLoginAttempt("a") == nil)
        await first.close()
        await second.close()
        await expect(.storeFailed, .retryLater) { try await first.insert(sampleAttempt("c")) }
        #expect(try await open().takeLoginAttempt("b") != nil)
    }

    @Test("after a restart of the machine pending logins are gone, also if the old file is put back")
    func restart() async throws {
        let before = try await open()
        try await before.insert(sampleAttempt("login"))
        let file = try directory.loginFile
        let content = try directory.contents(file)
        await before.close()
        let after = try await open(boot: "boot 2")
        #expect(try await after.takeLoginAttempt("login") == nil)
        #expect(try directory.loginFile != file)
        try directory.overwrite(content, in: file)
        #expect(try await after.takeLoginAttempt("login") == nil)
        #expect(try await open(boot: "boot 2").takeLoginAttempt("login") == nil)
        #expect(try directory.loginFile != file)
    }

    @Test("pending logins are saved in the database if the boot id is unknown, if configured, and on FUSE")
    func durable() async throws {
        let ways: [(inout SQLiteStore.Configuration) -> Void] = [
            { $0.bootID = { nil } }, { $0.savesPendingLoginsDurably = true }, { $0.fileSystemType = 0x6573_5546 },
        ]
        for (number, way) in ways.enumerated() {
            let store = try await open(way)
            try await store.insert(sampleAttempt("\(number)"))
            #expect(try await durableLogins(store) == "\(number + 1)")
            await store.close()
        }
        #expect(try directory.entries().allSatisfy { !$0.hasSuffix(".logins") })
        // Another process can take each of them once.
        let store = try await open()
        for number in ways.indices {
            #expect(try await store.takeLoginAttempt("\(number)") != nil)
            #expect(try await store.takeLoginAttempt("\(number)") == nil)
        }
    }

    @Test(
        "a pending login that does not fit into the file is saved in the database, and replaces an older one with its key"
    )
    func large() async throws {
        let store = try await open()
        for payload in ["short", String(repeating: "x", count: 1_950), String(repeating: "y", count: 9_000)] {
            try await store.insert(
                StoredLoginAttempt(key: "key", expiresAt: .distantFuture, payload: Secret(payload))
            )
        }
        #expect(try await durableLogins(store) == "1")
        #expect(try await store.checkHealth().loginAttempts == 1)
        #expect(try await store.takeLoginAttempt("key")?.payload.count == 9_000)
        #expect(try await store.takeLoginAttempt("key") == nil)
    }

    @Test("if a bucket of the file is full, further pending logins are saved in the database")
    func fullBucket() async throws {
        let store = try await open()
        var keys: [String] = []
        for number in 0..<100_000 where keys.count < 66 {
            let key = "key \(number)"
            if try store.records.hash(ofLoginAttempt: key).last == 7 { keys.append(key) }
        }
        for key in keys { try await store.insert(sampleAttempt(key)) }
        #expect(try await durableLogins(store) == "2")
        #expect(try await store.checkHealth().loginAttempts == 66)
        for key in keys { #expect(try await store.takeLoginAttempt(key) != nil) }
        #expect(try await store.checkHealth().loginAttempts == 0)
    }

    @Test("if a new pending login cannot be written at the limit, no other login is removed")
    func fullDisk() async {
        // A separate process, because the limit of the file size applies to the whole process.
        await #expect(processExitsWith: .success) {
            let directory = try StoreDirectory()
            let store = try await directory.open { $0.maximumAttempts = 2 }
            for key in ["a", "b"] { try await store.insert(sampleAttempt(key)) }
            _ = signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #expect(unsafe getrlimit(resource, &limit) == 0)
            let before = limit.rlim_cur
            // The entries are before this limit, and the slots are after it.
            limit.rlim_cur = 1 << 20
            #expect(unsafe setrlimit(resource, &limit) == 0)
            await expect(.storeFull, .retryLater) { try await store.insert(sampleAttempt("c")) }
            limit.rlim_cur = before
            #expect(unsafe setrlimit(resource, &limit) == 0)
            #expect(try await store.checkHealth().loginAttempts == 2)
            // The new login replaces another one, although it expires first.
            try await store.insert(sampleAttempt("d", expiresAt: 1_780_000_000))
            #expect(try await store.checkHealth().loginAttempts == 2)
            #expect(try await store.takeLoginAttempt("d") != nil)
        }
    }

    @Test("a damaged pending login is refused, counted and moved to quarantine")
    func damage() async throws {
        let store = try await open()
        try await store.insert(sampleAttempt("login"))
        var content = try directory.contents(directory.loginFile)
        content[content.count - 500] ^= 1
        try directory.overwrite(content, in: directory.loginFile)
        let reopened = try await open()
        await expect(.storeCorrupt, .configuration) { try await reopened.takeLoginAttempt("login") }
        #expect(try await reopened.checkHealth().damagedRows == 1)
        #expect(try await reopened.quarantineDamagedRows() == 1)
        let health = try await reopened.checkHealth()
        #expect(health.isSound)
        #expect([health.quarantinedRows, health.loginAttempts] == [1, 0])
        await expect(.storeCorrupt, .configuration) { try await reopened.takeLoginAttempt("login") }
    }

    @Test("a damaged pending login that stayed in the file after a crash is in quarantine only once")
    func interruptedQuarantine() async throws {
        let store = try await open()
        try await store.insert(sampleAttempt("login"))
        let file = try directory.loginFile
        var content = try directory.contents(file)
        content[content.count - 500] ^= 1
        // The second round begins like a process that starts after a crash between the copy and the removal.
        for _ in 0..<2 {
            try directory.overwrite(content, in: file)
            #expect(try await store.quarantineDamagedRows() == 1)
            let health = try await store.checkHealth()
            #expect([health.quarantinedRows, health.loginAttempts] == [1, 0])
        }
    }

    @Test("a pending login that was moved to another tenant cannot be decrypted")
    func tenants() async throws {
        let store = try await open()
        try await store.insert(sampleAttempt("login", tenant: "tenant a"))
        var content = try directory.contents(directory.loginFile)
        let name = try #require(content.firstRange(of: "tenant a".utf8))
        content[name.upperBound - 1] = 0x62
        try directory.overwrite(content, in: directory.loginFile)
        await expect(.storeCorrupt, .configuration) { try await open().takeLoginAttempt("login") }
    }

    @Test("a key rotation includes pending logins, and a sweep removes the expired ones")
    func upkeep() async throws {
        let new = try StoreDirectory.key()
        let old = try await open()
        for number in 0..<5 { try await old.insert(sampleAttempt("\(number)", expiresAt: Double(number))) }
        await old.close()
        let store = try await open { ($0.key, $0.readOnlyKeys) = (new, [directory.key]) }
        #expect(try await store.keyUsage().map(\.rows) == [0, 5])
        var (position, resealed): (ResealPosition?, Int) = (nil, 0)
        repeat {
            let step = try await store.resealRows(after: position, limit: 2)
            resealed += step.resealed
            position = step.position
        } while position != nil
        #expect(resealed == 5)
        #expect(try await store.keyUsage().map(\.rows) == [5, 0])
        await store.close()
        let last = try await open { $0.key = new }
        #expect(try await last.checkHealth().loginAttempts == 5)
        #expect(try await last.sweep(expiredBefore: Date(timeIntervalSince1970: 2)) == 2)
        #expect(try await last.takeLoginAttempt("1") == nil)
        #expect(try await last.takeLoginAttempt("2") != nil)
    }

    @Test("if the directory of pending logins is removed, all processes continue with a new file")
    func removal() async throws {
        let (first, second) = (try await open(), try await open())
        for store in [first, second] { try await store.insert(sampleAttempt("lost")) }
        try FileManager.default.removeItem(atPath: directory.logins)
        #expect(try await first.takeLoginAttempt("lost") == nil)
        try await first.insert(sampleAttempt("new"))
        #expect(try await second.takeLoginAttempt("new") != nil)
    }

    @Test("a symbolic link, a directory that others may use, and a file that others may read are refused")
    func permissions() async throws {
        let store = try await open()
        try await store.insert(sampleAttempt("login"))
        let file = try directory.loginFile
        try directory.setMode(0o640, of: file)
        await expect(.configurationInvalid, .configuration) { try await open().takeLoginAttempt("login") }
        try directory.setMode(0o600, of: file)
        try directory.replaceByLink(file)
        await expect(.configurationInvalid, .configuration) { try await open().takeLoginAttempt("login") }
        try directory.setMode(0o750, of: directory.logins)
        let access = await expect(.configurationInvalid, .configuration) { try await open().takeLoginAttempt("login") }
        #expect(access?.message.contains("Users other than the owner have access") == true)
        try directory.setMode(0o700, of: directory.logins)
        try directory.replaceByLink(directory.logins)
        let link = await expect(.configurationInvalid, .configuration) { try await open().takeLoginAttempt("login") }
        #expect(link?.message.contains("is not a directory") == true)
    }

    @Test("a call that waits for another process longer than the time limit fails as store_busy")
    func waiting() async throws {
        let store = try await open { $0.lockWait = .milliseconds(50) }
        try await store.insert(sampleAttempt("login"))
        let other = unsafe IdentityPlatform.open(try directory.loginFile, O_RDWR)
        #expect(Platform.setLock(other, byte: LoginFileTable.lockedByte, isLocked: true) == 0)
        await expect(.storeBusy, .retryLater) { try await store.takeLoginAttempt("login") }
        _ = IdentityPlatform.close(other)
        #expect(try await store.takeLoginAttempt("login") != nil)
    }

    @Test("after a call that waited for the disk, calls use the file's own thread for twenty times its duration")
    func slowDisk() async throws {
        let store = try await open()
        let opened = OpenedStore(
            records: store.records,
            location: store.location,
            id: [],
            isCopy: false,
            isWritable: true,
            mayBeRemote: false
        )
        let clock = ManualClock()
        let waits = Atomic<Int>(0)
        let configuration = directory.configuration { $0.clock = clock }
        let file = LoginFile(boot: "boot 1", of: opened, store.database, configuration) {
            waits.load(ordering: .relaxed)
        }
        // The first call is not direct, because opening the file may wait for the disk.
        #expect(try file.direct { _ in true } == nil)
        try await file.use { _ in }
        // On a busy machine a call can also take long because other threads run.
        for hasWaited in [false, true] {
            let isDirect = try file.direct { _ in
                clock.advance(by: .milliseconds(5))
                if hasWaited { waits.add(1, ordering: .relaxed) }
                return true
            }
            #expect(isDirect == true)
            #expect(try file.direct { _ in true } == (hasWaited ? nil : true))
        }
        clock.advance(by: .milliseconds(99))
        #expect(try file.direct { _ in true } == nil)
        clock.advance(by: .milliseconds(1))
        #expect(try file.direct { _ in true } == true)
        file.close()
    }

    @Test("the kernel's boot id is used only if it is a lower-case UUID")
    func bootIDs() {
        let id = "0a1b2c3d-4e5f-6789-abcd-ef0123456789"
        #expect(BootID.id(in: id + "\n") == id)
        for text in ["", "\n", id.dropLast() + "\n", "../" + id.dropFirst(3), id.uppercased() + "\n", id + id] {
            #expect(BootID.id(in: String(text)) == nil)
        }
    }
}
