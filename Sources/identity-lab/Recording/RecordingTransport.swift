internal import IdentityHTTP

/// A transport that records requests and responses; ``Masking`` hides their secret values.
struct RecordingTransport: HTTPTransport {
    let inner: any HTTPTransport
    let recorder: Recorder

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        var step = RecordedStep(
            from: .app,
            to: recorder.service(at: request.url),
            title: "\(request.method) \(request.url.path)\(Masking.operation(of: request).map { " \($0)" } ?? "")",
            started: recorder.elapsed
        )
        step.sent = Masking.parts(of: request)
        defer {
            step.duration = recorder.elapsed - step.started
            recorder.add(step)
        }
        do {
            let response = try await inner.send(request)
            step.received = Masking.parts(of: response)
            step.outcome = "\(response.status)"
            step.isFailure = response.status >= 400
            return response
        } catch {
            step.outcome = error.code.rawValue
            step.isFailure = true
            throw error
        }
    }
}
