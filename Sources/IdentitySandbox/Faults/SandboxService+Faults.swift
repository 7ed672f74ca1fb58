internal import Synchronization

extension SandboxService {
    /// Plans a fault for the next requests to an endpoint.
    ///
    /// Faults for one endpoint apply in the order of the calls, one for each request.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - endpoint: The endpoint.
    ///   - times: The number of requests; by default 1.
    public func planFault(_ fault: SandboxFault, on endpoint: SandboxEndpoint, times: Int = 1) {
        guard times > 0 else { return }
        let plan = SandboxJournal.Plan(fault: fault, endpoint: endpoint, remaining: times)
        journal.state.withLock { $0.plans.append(plan) }
    }

    /// Removes all planned faults.
    public func removeAllFaults() { journal.state.withLock { $0.plans.removeAll() } }
}
