import FoundationEssentials
import IdentityHTTP
import IdentityPresentation
import TestDirectories
import Testing

@Suite("The system browser")
struct SystemBrowserTests {
    @Test("xdg-open gets the URL as one argument, and none of the app's secrets")
    func environment() async throws {
        let folder = try TemporaryDirectory("browser")
        defer { folder.remove() }
        let output = folder.path(of: "output")
        let script =
            "#!/bin/sh\n{ echo \"$#\"; echo \"$1\"; /usr/bin/env; } > '\(output).new'\n/bin/mv '\(output).new' '\(output)'\n"
        try folder.write(script, to: "xdg-open", mode: 0o700)

        let variables = ["PATH": folder.path, "DISPLAY": ":9", "IDENTITY_STORE_KEY": "canary", "LC_ALL": "C"]
        let url = try HTTPURL("https://id.example/authorize?a=b&c=$(id)")
        // A process that another test starts now may still have the script open for writing, and then the script cannot
        // be executed.
        try await eventually { await SystemBrowser(environment: variables).open(url) }
        try await eventually { FileManager.default.fileExists(atPath: output) }
        let lines = String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self).split(separator: "\n")
        #expect(lines.prefix(2) == ["1", "https://id.example/authorize?a=b&c=$(id)"])
        #expect(lines.contains("LC_ALL=C"))
        #expect(!lines.contains { $0.contains("canary") })
    }

    private func eventually(_ condition: () async -> Bool) async throws {
        for _ in 0..<12_000 {
            if await condition() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("The file was not written.")
    }

    @Test("without a desktop or without xdg-open nothing is opened")
    func noDesktop() async throws {
        let url = try HTTPURL("https://id.example/")
        #expect(await !SystemBrowser(environment: ["PATH": "/usr/bin:/bin"]).open(url))
        #expect(await !SystemBrowser(environment: ["PATH": "/nowhere", "DISPLAY": ":9"]).open(url))
    }
}
