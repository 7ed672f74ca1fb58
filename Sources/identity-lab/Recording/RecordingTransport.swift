internal import IdentityHTTP

/// A transport that records requests and responses, with masked values.
struct RecordingTransport: HTTPTransport {
    let inner: any HTTPTransport
    let recorder: Recorder

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let started = recorder.elapsed
        var step = RecordedStep(
            from: .app,
            to: recorder.service(at: request.url),
            title: "\(request.method) \(request.url.path)\(Masking.operation(of: request).map { " \($0)" } ?? "")",
            started: started
        )
        step.sent = Masking.parts(of: request)
        do {
            let response = try await inner.send(request)
            step.duration = recorder.elapsed - started
            step.received = Masking.parts(of: response)
            step.outcome = "\(response.status)"
            step.isFailure = response.status >= 400
            recorder.add(step)
            return response
        } catch {
            step.duration = recorder.elapsed - started
            step.outcome = error.code.rawValue
            step.isFailure = true
            recorder.add(step)
            throw error
        }
    }
}
