import Foundation
import IdentityKit
import TestDirectories
import TestDoubles
import Testing

@testable import identity_lab

@Suite("The files in which identity-lab searches for tokens")
struct StoredBytesTests {
    @Test("all files of the store are searched and no other file, and an unreadable file is an error")
    func files() async throws {
        let folder = try TemporaryDirectory("stored")
        defer { folder.remove() }
        let store = #"{"store":{"path":"\#(folder.path(of: "id"))","key":{"env":"KEY"}}}"#
        let key = String(repeating: "ab", count: 32)
        let configuration = try IdentityConfiguration(json: Array(store.utf8), environmentVariables: ["KEY": key])
        let opened = try await OpenedStore.open(configuration.store, path: nil)
        func contains(_ text: String) throws -> Bool {
            try #require(try opened.storedBytes()).firstRange(of: Array(text.utf8)) != nil
        }
        try await cleaningUp(opened.close) {
            #expect(try contains("SQLite format 3"))
            let logins = folder.path(of: "id.logins")
            try FileManager.default.createDirectory(atPath: logins + "/folder", withIntermediateDirectories: true)
            func link(_ name: String, to target: String) throws {
                try FileManager.default.createSymbolicLink(atPath: "\(logins)/\(name)", withDestinationPath: target)
            }
            // Reading a link to a missing file fails like reading a file that was removed after the directory was listed.
            try link("removed", to: "nowhere")
            _ = try folder.write("text of a pending login", to: "id.logins/file")
            let spool = folder.path(of: "id.spool")
            try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
            _ = try folder.write("text of spooled tokens", to: "id.spool/file")
            _ = try folder.write("text of another program", to: "id.txt")
            #expect(try contains("text of a pending login") && contains("text of spooled tokens"))
            #expect(try !contains("text of another program"))
            // A link to itself cannot be read, not even by root.
            try link("unreadable", to: "unreadable")
            let error = #expect(throws: IdentityError.self) { _ = try opened.storedBytes() }
            #expect(error?.message.contains(logins + "/unreadable") == true)
        }
    }
}
