import Foundation
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySQLite
import IdentitySandbox
import Synchronization
import TestPostgres
import Testing

/// Crashes a process at each failpoint of a refresh and checks what the next process does.
@Suite
struct FailpointTests {
    /// A failpoint with the expected state after the crash and the expected actions of the next process.
    struct Moment: Sendable, CustomTestStringConvertible {
        let name: String
        let testDescription: String
        /// Whether the stored state says that the refresh token may have been used.
        let isDoubt: Bool
        let rotations: Int
        /// Whether the next process finds the new tokens or their response, so that it sends no request.
        let isKept: Bool
        /// Whether `repair` recovers the session if the store is SQLite; otherwise the call for its tokens does.
        let isRepaired: Bool
    }

    enum Grace: String, CaseIterable, Sendable {
        case none, minutes10, repeats

        var reuse: SandboxTokenReuse {
            switch self {
            case .none: .revokes
            case .minutes10: .grace(.seconds(600))
            case .repeats: .repeatsResponse
            }
        }
    }

    static let moments = [
        Moment(
            name: "before-claim",
            testDescription: "before the claim is saved",
            isDoubt: false,
            rotations: 0,
            isKept: false,
            isRepaired: false
        ),
        Moment(
            name: "after-claim",
            testDescription: "after the claim, before the token is sent",
            isDoubt: true,
            rotations: 0,
            isKept: false,
            isRepaired: true
        ),
        Moment(
            name: "bytes-left",
            testDescription: "after the token was sent, before the response",
            isDoubt: true,
            rotations: 1,
            isKept: false,
            isRepaired: true
        ),
        Moment(
            name: "rotated",
            testDescription: "after the response, before it is saved",
            isDoubt: true,
            rotations: 1,
            isKept: false,
            isRepaired: true
        ),
        Moment(
            name: "journaled",
            testDescription: "after the response is saved, before the new tokens are",
            isDoubt: true,
            rotations: 1,
            isKept: true,
            isRepaired: true
        ),
        Moment(
            name: "saved",
            testDescription: "after the new tokens are saved",
            isDoubt: false,
            rotations: 1,
            isKept: true,
            isRepaired: false
        ),
        Moment(
            name: "before-spool",
            testDescription: "after the store refused the response, before it is spooled",
            isDoubt: true,
            rotations: 1,
            isKept: false,
            isRepaired: true
        ),
        Moment(
            name: "spooled",
            testDescription: "after the store refused the response and it was spooled, before it is validated",
            isDoubt: true,
            rotations: 1,
            isKept: true,
            isRepaired: true
        ),
    ]

    @Test(
        "A crash ends a session only if the response was lost and the provider has no grace",
        arguments: moments,
        Grace.allCases
    )
    func nextProcess(_ moment: Moment, _ grace: Grace) async throws {
        try await FailpointStage.with(grace.reuse) { stage in
            let id = try await stage.expiredSession()
            try await stage.die(at: moment.name, id)
            #expect(await stage.rotations(atLeast: moment.rotations) == moment.rotations)
            let outcome = moment.name == "before-claim" ? "refreshed_late" : "stored"
            check(try await stage.once(id), stage, moment, grace, isRepaired: moment.isRepaired, outcome: outcome)
        }
    }

    /// Checks what the next process reported and what the provider counted; `outcome` is expected unless the session is lost.
    private func check(
        _ next: FailpointStage.Said,
        _ stage: FailpointStage,
        _ moment: Moment,
        _ grace: Grace,
        isRepaired: Bool,
        outcome: String
    ) {
        let isSentAgain = moment.rotations == 1 && !moment.isKept
        let isLost = isSentAgain && grace == .none
        #expect(next.said("doubt") == "\(moment.isDoubt)")
        #expect(next.said("repaired") == (isRepaired && !isLost ? "1" : "0"))
        #expect(next.said("outcome") == (isLost ? "rotation_lost" : outcome))
        #expect(next.said("spooled") == "0")
        let counters = stage.sandbox.openID.counters
        #expect(counters.reusesPunished == (isLost ? 1 : 0))
        #expect(counters.refreshReplays == (isSentAgain && !isLost ? 1 : 0))
        #expect(counters.refreshes == 1)
    }

    @Test(
        "A crash between the save of spooled tokens and their removal from the spool causes no second refresh"
    )
    func unspooled() async throws {
        try await FailpointStage.with(.revokes) { stage in
            let id = try await stage.expiredSession()
            try await stage.die(at: "spooled", id)
            try await stage.die(at: "unspooled", id)
            let next = try await stage.once(id)
            #expect(next.said("outcome") == "stored")
            #expect(next.said("spooled") == "0")
            #expect(stage.sandbox.openID.counters.refreshes == 1)
            #expect(stage.sandbox.openID.counters.reusesPunished == 0)
        }
    }

    /// The same failpoints with a lease instead of a kernel lock.
    ///
    /// The next process waits until the lease expires. The repair does not continue a claim under a lease, so the call for the
    /// session's tokens recovers the session.
    @Test(
        "With PostgreSQL, too, a crash ends a session only if the response was lost and the provider has no grace",
        .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
        arguments: moments,
        [Grace.none, .repeats]
    )
    func nextProcessAtPostgres(_ moment: Moment, _ grace: Grace) async throws {
        let server = try await TestPostgresServer.shared
        // If the next process waited for the crashed one without need, the wait would exceed the time limit of its call.
        let waits = moment.isDoubt && !moment.isKept
        try await FailpointStage.with(grace.reuse, on: server, claimWait: waits ? nil : 600) { stage in
            let id = try await stage.expiredSession()
            try await stage.die(at: moment.name, id)
            #expect(await stage.rotations(atLeast: moment.rotations) == moment.rotations)
            let started = ContinuousClock.now
            let next = try await stage.once(id)
            let took = ContinuousClock.now - started
            let outcome = moment.name == "saved" ? "stored" : "refreshed_late"
            check(next, stage, moment, grace, isRepaired: false, outcome: outcome)
            // After the lease, the next process waits for the response of the crashed one: timeout, saving limit and repair interval.
            if waits { #expect(took >= .seconds(FailpointStage.lease + 18), "\(took)") }
        }
    }

    @Test(
        "A process that is stopped while connecting until its lease has expired does not send the token when it continues",
        .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql")
    )
    func stoppedWhileConnecting() async throws {
        try await FailpointStage.with(.revokes, on: try await TestPostgresServer.shared) { stage in
            let id = try await stage.expiredSession()
            let stopped = try await stage.stop(at: "stopped-connecting", id)
            let next = try await stage.once(id)
            #expect(next.said("outcome") == "refreshed_late")
            let resumed = await stage.resume(stopped)
            #expect(resumed.said("outcome") == "refresh_busy")
            #expect(try await stage.once(id).said("outcome") == "stored")
            #expect(stage.sandbox.openID.counters.refreshes == 1)
            #expect(stage.sandbox.openID.counters.reusesPunished == 0)
        }
    }

    @Test(
        "A process that is stopped with the response until its lease has expired saves it, and the token is not sent again",
        .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql")
    )
    func stoppedWithTheResponse() async throws {
        // The stopped process continues long before the next one would continue its claim.
        let server = try await TestPostgresServer.shared
        try await FailpointStage.with(.revokes, on: server, claimWait: 120) { stage in
            let id = try await stage.expiredSession()
            let stopped = try await stage.stop(at: "stopped-with-response", id)
            async let next = stage.once(id)
            try await Task.sleep(for: .seconds(FailpointStage.lease + 4))
            let resumed = await stage.resume(stopped)
            // Either process may save the tokens of the response. On a slow machine the next one gives up before they are saved.
            let outcomes: [String?] = ["refreshed_late", "waited", "stored"]
            #expect(outcomes.contains(resumed.said("outcome")))
            #expect((outcomes + ["refresh_busy"]).contains(try await next.said("outcome")))
            #expect(try await stage.once(id).said("outcome") == "stored")
            #expect(stage.sandbox.openID.counters.refreshes == 1)
            #expect(stage.sandbox.openID.counters.reusesPunished == 0)
        }
    }
}
