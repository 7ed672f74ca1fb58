internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit
internal import Testing

extension StoreConformance {
    static let spoolCases: [Case] = [
        Case("the spool keeps a session completely") { store in
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            let session = try StoreSample.session(
                tenant: "t",
                providerSessionID: "sid",
                isInDoubt: true,
                payload: try StoreSample.randomPayload(4_000)
            )
            try await spool.spool(session)
            #expect(StoreSample.areSame(try await spool.spooledSession(session.id), session))
            #expect(try await spool.spooledSessions().map(\.id) == [session.id])
        },
        Case("an empty spool is not an error") { store in
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            let id = try StoreSample.id()
            #expect(try await spool.spooledSession(id) == nil)
            #expect(try await spool.spooledSessions().isEmpty)
            try await spool.removeSpooledSession(id)
        },
        Case("the spool keeps only the newest version of a session") { store in
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            var session = try StoreSample.session()
            for number in 0..<5 {
                session = session.successor(Secret("\(number)"))
                try await spool.spool(session)
            }
            #expect(StoreSample.areSame(try await spool.spooledSession(session.id), session))
            #expect(try await spool.spooledSessions().count == 1)
        },
        Case("a removal from the spool removes that session only") { store in
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            let sessions = try (0..<3).map { try StoreSample.session(payload: Secret("\($0)")) }
            for session in sessions { try await spool.spool(session) }
            try await spool.removeSpooledSession(sessions[1].id)
            try await spool.removeSpooledSession(sessions[1].id)
            #expect(try await spool.spooledSession(sessions[1].id) == nil)
            #expect(Set(try await spool.spooledSessions().map(\.id)) == [sessions[0].id, sessions[2].id])
        },
        Case("a session in the spool is not a session of the store") { store in
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            try await spool.spool(session.successor(Secret("newer")))
            let unsaved = try StoreSample.session()
            try await spool.spool(unsaved)
            #expect(StoreSample.areSame(try await store.session(session.id), session))
            #expect(try await store.session(unsaved.id) == nil)
            #expect(try await store.sessions(matching: SessionFilter()).count == 1)
        },
        Case("the spool survives a restart", needing: [.reopening]) { place in
            let spool = try Test.offered((any SessionSpooling).self, by: try await place.open())
            let session = try StoreSample.session(payload: Secret("spooled"))
            try await spool.spool(session)
            let again = try Test.offered((any SessionSpooling).self, by: try await place.open())
            #expect(StoreSample.areSame(try await again.spooledSession(session.id), session))
            try await again.removeSpooledSession(session.id)
            #expect(try await spool.spooledSession(session.id) == nil)
        },
        Case("24 concurrent sessions in the spool are all kept") { store in
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            let sessions = try (0..<24).map { try StoreSample.session(payload: Secret("\($0)")) }
            try await concurrently(sessions.count) { number in
                try await spool.spool(sessions[number])
            }
            for session in sessions {
                #expect(StoreSample.areSame(try await spool.spooledSession(session.id), session))
            }
        },
    ]

    static let healthCases: [Case] = [
        Case("an empty store is sound") { store in
            let health = try await Test.offered((any StoreHealthChecking).self, by: store).checkHealth()
            #expect(health.isSound)
            #expect(health.sessions + health.loginAttempts + health.attachments + health.quarantinedRows == 0)
        },
        Case("a health check counts the rows") { store in
            let checking = try Test.offered((any StoreHealthChecking).self, by: store)
            for number in 0..<3 { try await store.insert(StoreSample.session(isInDoubt: number == 1)) }
            let session = try await StoreSample.inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
            try await store.insert(StoreSample.attempt("key"))
            let health = try await checking.checkHealth()
            #expect(health.isSound)
            #expect(health.sessions == 4)
            #expect(health.loginAttempts == 1)
            #expect(health.attachments == 1)
            #expect(health.sessionsInDoubt == 1)
            #expect(health.rowsUnderReadOnlyKeys == 0)
        },
        Case("a health check counts many rows") { store in
            let checking = try Test.offered((any StoreHealthChecking).self, by: store)
            try await StoreSample.insert(try (0..<300).map { _ in try StoreSample.session() }, into: store)
            #expect(try await checking.checkHealth().sessions == 300)
        },
        Case("a health check counts the sessions in the spool") { store in
            let checking = try Test.offered((any StoreHealthChecking).self, by: store)
            let spool = try Test.offered((any SessionSpooling).self, by: store)
            for _ in 0..<2 { try await spool.spool(try StoreSample.session()) }
            #expect(try await checking.checkHealth().spooledSessions == 2)
        },
        Case("a health check reports a damaged row", needing: [.damage]) { store, place in
            let checking = try Test.offered((any StoreHealthChecking).self, by: store)
            _ = try await StoreSample.inserted(in: store)
            let session = try await place.damagedSession(in: store)
            let health = try await checking.checkHealth()
            #expect(!health.isSound)
            #expect(health.damagedRows == 1)
            #expect(health.sessions == 2)
        },
        Case("a health check works during saves") { store in
            let checking = try Test.offered((any StoreHealthChecking).self, by: store)
            let first = try await StoreSample.inserted(in: store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await StoreSample.replace(first, times: 10, in: store) }
                group.addTask {
                    for _ in 0..<3 {
                        let health = try await checking.checkHealth()
                        #expect(health.isSound)
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}
