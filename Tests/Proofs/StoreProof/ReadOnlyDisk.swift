internal import IdentityKit
internal import IdentitySQLite

/// A store on a file system that can only be read.
struct ReadOnlyDisk {
    let path: String

    private func open() async throws -> SQLiteStore {
        try await SQLiteStore.open(.init(path: path + "/store.sqlite", key: Sample.key(2)))
    }

    /// Makes the store, while the file system can be written.
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
                    throw Finding("\(step): a read-only disk is called \(error)")
                }
                refused += 1
            }
        }
        await store.close()
        print("read-only disk: read as before, \(refused) of 3 changes refused by name")
        return refused == 3
    }
}
