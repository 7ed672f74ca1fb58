import IdentityKit
import IdentityStoreKit
import TestMemory
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("A store while OpenSSL has no memory")
struct OutOfMemoryTests {
    @Test("the store reports no row as damaged, omits none from a list, and moves none to quarantine")
    func rows() async {
        // A separate process, because OpenSSL's allocation functions can be replaced only before OpenSSL allocates memory.
        await #expect(processExitsWith: .success) {
            #expect(OpenSSLMemory.takeOver())
            let directory = try StoreDirectory()
            let store = try await directory.open()
            let session = try sampleSession()
            try await store.insert(session)
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
            try await store.insert(sampleAttempt("login"))
            let calls: [(name: String, run: () async throws -> Void)] = [
                ("session", { _ = try await store.session(session.id) }),
                ("sessions", { _ = try await store.sessions(matching: SessionFilter()) }),
                ("attachment", { _ = try await store.attachment("cart", of: session.id) }),
                ("checkHealth", { _ = try await store.checkHealth() }),
                ("quarantineDamagedRows", { _ = try await store.quarantineDamagedRows() }),
            ]
            for call in calls {
                try await call.run()
                var allocations = 0
                while allocations < 2_000 {
                    let (error, hasRunOut) = await OpenSSLMemory.running(outAfter: allocations) {
                        do {
                            try await call.run()
                            return nil as IdentityError?
                        } catch {
                            return IdentityError.wrapping(error)
                        }
                    }
                    guard hasRunOut else { break }
                    #expect(error?.code == .systemFailure, "\(call.name) after \(allocations) allocations")
                    #expect(error?.kind == .retryLater)
                    allocations += 1
                }
                #expect((1..<2_000).contains(allocations), "\(call.name)")
            }
            let health = try await store.checkHealth()
            #expect(health.isSound && health.sessions == 1 && health.quarantinedRows == 0)
        }
    }
}
