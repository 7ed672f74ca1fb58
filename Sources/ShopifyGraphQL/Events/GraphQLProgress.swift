internal import Synchronization

final class GraphQLProgress: Sendable {
    private let state = Mutex<(attempts: Int, requestID: String?)>((0, nil))

    var attempts: Int { state.withLock { $0.attempts } }
    var requestID: String? { state.withLock { $0.requestID } }

    func note(_ attempts: Int, _ outcome: Result<(GraphQLResponse, [UInt8]), GraphQLFailure>) {
        let requestID: String?
        switch outcome {
        case .success(let (response, _)): requestID = response.metadata.requestID
        case .failure(let failure): requestID = failure.metadata?.requestID
        }
        state.withLock { state in
            state.attempts = attempts
            if let requestID { state.requestID = requestID }
        }
    }
}
