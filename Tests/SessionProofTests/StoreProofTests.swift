import Foundation
import Testing

/// The SQLite store with injected faults; `Tests/Proofs/io-errors`, `power-loss` and `kill-store` run longer.
@Suite(.serialized)
struct StoreProofTests {
    private let proof = Program(name: "store-proof")

    @Test("No failing write, fsync or open loses acknowledged data or leaves partial data")
    func errors() async throws {
        let ended = try await proof.run(["errors", "400"])
        #expect(ended.status == 0, "\(ended.output)")
        let points = try #require(ended.output.firstMatch(of: /I\/O errors: ([0-9]+) points/)).1
        #expect((Int(points) ?? 0) >= 300)
    }

    @Test("No power loss loses acknowledged data")
    func powerLoss() async throws {
        let ended = try await proof.run(["power-loss", "500"])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test(
        "The store proofs detect injected faults",
        arguments: [
            ["errors", "40", "silent-writes"], ["power-loss", "100", "7", "no-sync"],
            ["power-loss", "100", "7", "no-directory-sync"], ["power-loss", "300", "7", "same-boot"],
            ["kill", "4", "7", "early-acknowledgement"],
        ]
    )
    func mutantsAreFound(_ arguments: [String]) async throws {
        let ended = try await proof.run(arguments)
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.output.contains("BROKEN: "))
    }

    @Test("No kill -9 loses acknowledged data")
    func kills() async throws {
        let ended = try await proof.run(["kill", "12"])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test("Refreshes continue when files cannot grow")
    func limitedFiles() async throws {
        let ended = try await proof.run(["full"])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test("Refreshes continue when the disk is full", .enabled("run the tests as root") { await mayMount() })
    func fullDisk() async throws {
        let ended = try await Self.mount("exec \"$1\" full /mnt", proof.path)
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("full disk (/mnt)"))
    }

    @Test(
        "A store on a read-only file system can be read, and writes fail with store_read_only",
        .enabled("run the tests as root") { await mayMount() }
    )
    func readOnlyDisk() async throws {
        let commands = "$1 read-only /mnt prepare && mount -o remount,ro /mnt && exec $1 read-only /mnt"
        let ended = try await Self.mount(commands, proof.path)
        #expect(ended.status == 0, "\(ended.output)")
    }

    private static func mayMount() async -> Bool {
        (try? await mount("true", ""))?.status == 0
    }

    /// Runs a command in a mount namespace in which `/mnt` is a small disk.
    private static func mount(_ command: String, _ argument: String) async throws -> Program.Ended {
        try await Program(name: "/usr/bin/unshare").run([
            "--map-root-user", "--mount", "/bin/sh", "-c",
            "mount -t tmpfs -o size=2m,mode=700 tmpfs /mnt && \(command)", "sh", argument,
        ])
    }
}
