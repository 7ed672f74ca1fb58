import Foundation
import Testing

/// The SQLite store against faults: `Tests/Proofs/io-errors`, `Tests/Proofs/power-loss` and `Tests/Proofs/kill-store` are the long forms.
@Suite(.serialized)
struct StoreProofTests {
    private let proof = Program(name: "store-proof")

    @Test("No failing write, synchronization or opening loses what was acknowledged, or leaves half of anything")
    func errors() async throws {
        let ended = try await proof.run(["errors", "400"])
        #expect(ended.status == 0, "\(ended.output)")
        let points = try #require(ended.output.firstMatch(of: /I\/O errors: ([0-9]+) points/)).1
        #expect((Int(points) ?? 0) >= 300)
    }

    @Test("No loss of power loses what was acknowledged")
    func powerLoss() async throws {
        let ended = try await proof.run(["power-loss", "500"])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test(
        "A fault in what the store relies on is found",
        arguments: [
            ["errors", "40", "silent-writes"], ["power-loss", "100", "7", "no-sync"],
            ["power-loss", "100", "7", "no-directory-sync"], ["kill", "4", "7", "early-acknowledgement"],
        ]
    )
    func mutantsAreFound(_ arguments: [String]) async throws {
        let ended = try await proof.run(arguments)
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.output.contains("BROKEN: "))
    }

    @Test("No kill -9 loses what was acknowledged")
    func kills() async throws {
        let ended = try await proof.run(["kill", "12"])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test("Renewals go on when no file may grow")
    func limitedFiles() async throws {
        let ended = try await proof.run(["full"])
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test("Renewals go on when the disk is full", .enabled("this process may mount nothing") { await mayMount() })
    func fullDisk() async throws {
        let ended = try await Self.mount("exec \"$1\" full /mnt", proof.path)
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains("full disk (/mnt)"))
    }

    @Test(
        "A read-only file system is read, and what it refuses is called by its name",
        .enabled("this process may mount nothing") { await mayMount() }
    )
    func readOnlyDisk() async throws {
        let commands = "$1 read-only /mnt prepare && mount -o remount,ro /mnt && exec $1 read-only /mnt"
        let ended = try await Self.mount(commands, proof.path)
        #expect(ended.status == 0, "\(ended.output)")
    }

    private static func mayMount() async -> Bool {
        (try? await mount("true", ""))?.status == 0
    }

    /// Runs a command where `/mnt` is a small disk that nobody else sees.
    private static func mount(_ command: String, _ argument: String) async throws -> Program.Ended {
        try await Program(name: "/usr/bin/unshare").run([
            "--map-root-user", "--mount", "/bin/sh", "-c",
            "mount -t tmpfs -o size=2m,mode=700 tmpfs /mnt && \(command)", "sh", argument,
        ])
    }
}
