internal import IdentityKit
internal import IdentitySQLite

/// A store on a read-only file system.
struct ReadOnlyDisk {
    let path: String

    private func open() async throws -> SQLiteStore {
        try await SQLiteStore.open(.init(path: path + "/store.sqlite", key: Sample.key(2)))
    }

    /// Creates the store while the file system is still writable.
    func prepare() async throws {
        let store = try await open()
        try await store.insert(Sample.session(1))
        await store.close()
    }

    func run() async throws -> Bool {
        let store = try await open()
        guard try await store.session(Sample.session(1).id) != nil else { throw Finding("the session is unknown") }
        var refused = 0
        for step in [
            Step.insert(try Sample.session(2)), .remove(try Sample.session(1).id), .spool(try Sample.session(1)),
        ] {
            do {
                try await step.run(on: store)
            } catch let error as IdentityError {
                guard error.code == .storeReadOnly, error.kind == .configuration else {
                    throw Finding("\(step): a read-only disk is reported as \(error)")
                }
                refused += 1
            }
        }
        await store.close()
        print("read-only disk: the session is readable, \(refused) of 3 changes are refused with store_read_only")
        return refused == 3
    }
}
