internal import Foundation
internal import Glibc
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit

/// Fills a disk between claim and save: a small mounted file system, or this process's limit for the size of files.
struct FullDisk {
    /// A folder on a disk that can be filled; nil to limit the file size of this process instead.
    let path: String?

    func run() async throws -> Bool {
        let own = path == nil ? try Folder() : nil
        let folder = path ?? own?.path ?? ""
        let store = try await SQLiteStore.open(Sample.configuration(in: folder))
        var sessions = try (0..<120).map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        for index in 0..<20 { sessions[index] = try await Self.save(sessions[index], isInDoubt: true, store) }
        try path == nil ? Self.limitFiles(folder) : Self.fill(folder)
        // Sessions that were claimed before can be saved, and other sessions can be claimed and saved.
        for index in 0..<20 { sessions[index] = try await Self.save(sessions[index], isInDoubt: false, store) }
        for index in 20..<60 {
            sessions[index] = try await Self.save(sessions[index], isInDoubt: true, store)
            sessions[index] = try await Self.save(sessions[index], isInDoubt: false, store)
        }
        var refused = 0
        for number in 1_000..<1_100 {
            do {
                try await store.insert(Sample.session(number))
            } catch let error as IdentityError {
                guard error.code == .storeFull, error.kind == .retryLater else {
                    throw Finding("a full disk is reported as \(error)")
                }
                refused += 1
            }
        }
        guard refused > 0 else { throw Finding("the disk was not full") }
        for session in sessions {
            let found = try await store.session(session.id)
            guard found?.generation == session.generation else { throw Finding("a session is lost") }
        }
        guard try await store.checkHealth().isSound else { throw Finding("the store has damaged rows") }
        await store.close()
        print(
            "full disk (\(path ?? "limit of files")): 100 saves succeeded, \(refused) new sessions were refused, 0 lost"
        )
        return true
    }

    private static func save(
        _ session: StoredSession,
        isInDoubt: Bool,
        _ store: SQLiteStore
    ) async throws -> StoredSession {
        let next = session.next("save \(session.generation)", isInDoubt: isInDoubt)
        guard try await store.replace(next, expecting: session.generation) else {
            throw Finding("a save found another generation")
        }
        return next
    }

    private static func fill(_ folder: String) throws {
        let file = unsafe open(folder + "/filler", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw Finding("the disk cannot be filled (errno \(errno))") }
        defer { close(file) }
        for size in [65_536, 4_096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while unsafe Glibc.write(file, bytes, size) > 0 {}
        }
        guard errno == ENOSPC else { throw Finding("the disk cannot be filled (errno \(errno))") }
    }

    /// Limits the size of this process's files to the size of the store's longest file.
    private static func limitFiles(_ folder: String) throws {
        signal(SIGXFSZ, SIG_IGN)
        var longest = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            longest = max(longest, attributes[.size] as? Int ?? 0)
        }
        var limit = rlimit(rlim_cur: rlim_t(longest), rlim_max: rlim_t(longest))
        guard unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0 else { throw Finding("setrlimit: \(errno)") }
    }
}
