import FoundationEssentials
import Glibc
import IdentityKit
import IdentityStoreKit
import IdentityTesting
import TestDirectories
import Testing

/// Keys that a key service has wrapped: without the service, the deployed data is useless.
struct WrappedKeys: StoreKeySource {
    let service: any KeyService
    let active: [UInt8]
    let readOnly: [[UInt8]]

    func keys() async throws -> StoreKeys {
        StoreKeys(active: try await unwrap(active), readOnly: try await unwrap(readOnly))
    }

    private func unwrap(_ wrapped: [[UInt8]]) async throws -> [StoreKey] {
        var keys: [StoreKey] = []
        for key in wrapped { keys.append(try await unwrap(key)) }
        return keys
    }

    private func unwrap(_ wrapped: [UInt8]) async throws -> StoreKey {
        try StoreKey(bytes: try await service.decrypt(wrapped))
    }
}

/// A client of a key service, as an app could write it.
protocol KeyService: Sendable {
    func decrypt(_ wrapped: [UInt8]) async throws -> Secret
}

@Suite("Sources of store keys")
struct KeySourceTests {
    private static let digits = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
    private static let other = String(repeating: "5c", count: 32)

    private struct Service: KeyService {
        struct Outage: Error {}
        var isDown = false

        func decrypt(_ wrapped: [UInt8]) async throws -> Secret {
            if isDown { throw Outage() }
            return Secret(bytes: wrapped.map { $0 ^ 0xFF })
        }
    }

    private func expectRefusal(
        _ source: some StoreKeySource,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: IdentityError.self, sourceLocation: sourceLocation) {
            _ = try await source.keys()
        }
        #expect(error?.kind == .configuration, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                error?.message.contains(word) == true,
                "\(String(describing: error))",
                sourceLocation: sourceLocation
            )
        }
        #expect(!"\(String(describing: error))".contains("556677"), sourceLocation: sourceLocation)
    }

    @Test("a key from a file and a key from the environment are read unchanged")
    func references() async throws {
        let folder = try TemporaryDirectory("keys")
        defer { folder.remove() }
        let file = try folder.write(Self.digits + "\n", to: "key")
        let variables = ["OLD": Self.other]
        let keys = try await ReferencedKeys(.file(file), readOnly: [.environment("OLD")]) { variables[$0] }.keys()
        #expect(keys.active.id == (try StoreKey(hexadecimal: Secret(Self.digits))).id)
        #expect(keys.readOnly.map(\.id) == [try StoreKey(hexadecimal: Secret(Self.other)).id])
    }

    @Test("an error about a missing or invalid key in the environment names the variable")
    func environment() async throws {
        await expectRefusal(
            ReferencedKeys(.environment("IDENTITYKIT_NO_SUCH_KEY")),
            "IDENTITYKIT_NO_SUCH_KEY",
            "not set"
        )
        await expectRefusal(ReferencedKeys(.environment("PATH")), "PATH")
        await expectRefusal(ReferencedKeys(.environment("EMPTY"), readOnly: []) { _ in "" }, "EMPTY", "not set")
    }

    @Test("a key file that other users can access is refused, as are links, folders and missing files")
    func files() async throws {
        let folder = try TemporaryDirectory("keys")
        defer { folder.remove() }
        for mode in [0o640, 0o604, 0o660, 0o666, 0o610, 0o601] {
            await expectRefusal(
                ReferencedKeys(.file(try folder.write(Self.digits, to: "wide", mode: mode))),
                "other users"
            )
        }
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: try folder.write(Self.digits, to: "real")
        )
        await expectRefusal(ReferencedKeys(.file(link)), "link")
        await expectRefusal(ReferencedKeys(.file(folder.path)), "regular")
        await expectRefusal(ReferencedKeys(.file(folder.path + "/missing")), "could not be opened")
        await expectRefusal(ReferencedKeys(.file("/dev/zero")), "regular")
        await expectRefusal(ReferencedKeys(.file(try folder.write("", to: "empty"))), "empty")
        await expectRefusal(ReferencedKeys(.file(try folder.write("0011", to: "short"))), "64", "short")
        await expectRefusal(
            ReferencedKeys(.file(try folder.write(Self.digits.dropLast() + "x", to: "text"))),
            "64",
            "text"
        )
        let readOnly = [ReferencedKeys.Reference.file(try folder.write(Self.digits, to: "old", mode: 0o644))]
        let good = ReferencedKeys.Reference.file(try folder.write(Self.digits, to: "good"))
        await expectRefusal(ReferencedKeys(good, readOnly: readOnly), "other users")
    }

    @Test("a key file of another user is refused", .enabled(if: geteuid() == 0, "run the tests as root"))
    func owner() async throws {
        let folder = try TemporaryDirectory("keys")
        defer { folder.remove() }
        let file = try folder.write(Self.digits, to: "key")
        let result = unsafe chown(file, 12_345, 12_345)
        try #require(result == 0)
        await expectRefusal(ReferencedKeys(.file(file)), "another user")
    }

    @Test(
        "a key service unwraps the keys; its outage is a retryLater error, and a key of a wrong length a configuration error"
    )
    func service() async throws {
        let key = [UInt8](0..<32)
        let wrapped = key.map { $0 ^ 0xFF }
        let source = WrappedKeys(service: Service(), active: wrapped, readOnly: [wrapped.reversed()])
        let keys = try await source.loadedKeys()
        #expect(keys.active.id == (try StoreKey(bytes: Secret(bytes: key))).id)
        #expect(keys.readOnly.count == 1)
        let down = WrappedKeys(service: Service(isDown: true), active: wrapped, readOnly: [])
        let error = await #expect(throws: IdentityError.self) { _ = try await down.loadedKeys() }
        #expect(error?.kind == .retryLater)
        #expect(error?.code == .storeKeyUnavailable)
        let cut = WrappedKeys(service: Service(), active: Array(wrapped.dropLast()), readOnly: [])
        let invalid = await #expect(throws: IdentityError.self) { _ = try await cut.loadedKeys() }
        #expect(invalid?.kind == .configuration)
    }
}
