import IdentityKit

/// Follows every path of a state machine.
struct RefreshWalk {
    /// The transitions that were seen: step, result and next step.
    private(set) var transitions: Set<[String]> = []
    /// The changes of the stored state that were seen: from and to.
    private(set) var stateChanges: Set<[String]> = []
    private(set) var paths = 0
    private(set) var crashes = 0
    private(set) var violations: [String] = []

    private static func machine(_ world: RefreshModel, _ goal: RefreshGoal) -> RefreshStateMachine {
        RefreshStateMachine(goal, provesPreviousHolderGone: !world.isLease)
    }

    /// Begins a refresh in a world and follows all its paths with at most this many faults.
    mutating func begin(_ world: RefreshModel, faults: Int) {
        var machine = Self.machine(world, .replacing(RefreshModel.tokens(1)))
        let action = machine.handle(.began)
        follow(machine, world, action, faults, [])
    }

    private mutating func note(
        _ action: RefreshStateMachine.Action,
        _ event: RefreshStateMachine.Event,
        _ next: RefreshStateMachine.Action,
        isFirst: Bool
    ) {
        guard let result = event.name else { return }
        let step = action.name == "`load`" && !isFirst ? "`reload`" : action.name
        transitions.insert([step, result, next.name == "`load`" ? "`reload`" : next.name])
    }

    private mutating func follow(
        _ machine: RefreshStateMachine,
        _ world: RefreshModel,
        _ action: RefreshStateMachine.Action,
        _ faults: Int,
        _ trail: [String]
    ) {
        if case .finish(let outcome) = action { return finished(world, outcome, trail) }
        guard trail.count < 60 else { return violations.append("endless: \(trail)") }
        for choice in world.choices(action) where faults > 0 || !choice.isFault {
            let old = world.row?.name
            var (machine, world) = (machine, world)
            let event = choice.perform(&world)
            let trail = trail + [choice.name]
            if let violation = world.violation { return violations.append("\(violation): \(trail)") }
            crash(world, trail)
            if case .save(let state, _, _) = action, case .saved = event, let old {
                stateChanges.insert([old, state.name])
            }
            let next = machine.handle(event)
            note(action, event, next, isFirst: trail.count == 1)
            follow(machine, world, next, choice.isFault ? faults - 1 : faults, trail)
        }
    }

    /// Checks the end of a refresh, and lets the same process continue.
    private mutating func finished(
        _ world: RefreshModel,
        _ outcome: RefreshOutcome,
        _ trail: [String]
    ) {
        paths += 1
        if case .failed(let error, _) = outcome, error.message == IdentityError.unexpectedRefreshEvent.message {
            violations.append("unexpected event: \(trail)")
        }
        if world.stands {
            guard case .failed(let error, _) = outcome, error.isAttackSuspected else {
                return violations.append("a mismatch does not reach the caller: \(trail)")
            }
            if !world.hasMismatch, world.row != nil, world.row?.endReason == nil, !world.isRowForeign {
                violations.append("a mismatch is kept nowhere: \(trail)")
            }
        } else if world.hasMismatch {
            switch outcome {
            case .refreshed, .alreadyRefreshed:
                violations.append("tokens were returned in spite of a mismatch: \(trail)")
            case .startAgain, .wait, .failed: break
            }
        }
        if world.reports > 1 { violations.append("a mismatch was reported twice: \(trail)") }
        let kept = [world.row, world.memory?.state, world.spool?.state].compactMap { RefreshModel.newest(in: $0) }
        for number in world.received where number == world.newest && !kept.contains(number) {
            if !world.revoked.contains(number) { violations.append("tokens \(number) are lost: \(trail)") }
        }
        // The same process continues with the state in its memory.
        settle(world, trail + ["and once more"])
    }

    /// The process crashes, and another one finishes the session's refresh.
    private mutating func crash(_ world: RefreshModel, _ trail: [String]) {
        crashes += 1
        var world = world
        world.memory = nil
        settle(world, trail + ["crash"])
    }

    private mutating func settle(_ world: RefreshModel, _ trail: [String]) {
        let end = runClean(world)
        if let violation = end.violation { return violations.append("\(violation): \(trail)") }
        guard let row = end.row else { return }
        if world.hasNewest, world.newest > 0 {
            if end.reuses > world.reuses { violations.append("a used token was sent: \(trail)") }
            if row.endReason != nil { violations.append("ended although the newest token is known: \(trail)") }
        }
        if row.endReason == nil, RefreshModel.newest(in: row) != end.newest || row.isInDoubt {
            violations.append("not settled: \(trail)")
        }
    }

    /// Finishes the refresh of a session with no further fault.
    mutating func runClean(_ world: RefreshModel) -> RefreshModel {
        var world = world
        (world.base, world.isHeld, world.isRowForeign, world.received) = (nil, true, false, [])
        (world.accepted, world.stands) = (false, false)
        var machine = Self.machine(world, .repairing)
        if case .active(let tokens)? = world.row, world.memory == nil, world.spool == nil {
            machine = Self.machine(world, .replacing(tokens))
        }
        var action = machine.handle(.began)
        for _ in 0..<60 {
            guard let choice = world.choices(action).first else { return world }
            action = machine.handle(choice.perform(&world))
        }
        world.violation = "endless"
        return world
    }
}
