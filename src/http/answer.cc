#include "http/answer.h"

#include <utility>

#include "base/check.h"
#include "http/session.h"
#include "http/sessions.h"

namespace http {
namespace {

Session* find(const AnswerDesk& desk, uint64_t session) {
  return desk.sessions == nullptr ? nullptr : desk.sessions->find(session);
}

}  // namespace

void post_stream_end(const std::shared_ptr<AnswerDesk>& desk, OnStreamEnd on_end,
                     StreamEnd reason) {
  desk->loop.post([desk, on_end = std::move(on_end), reason] {
    if (desk->sessions != nullptr) {
      on_end(reason);
    }
  });
}

bool Stream::write(std::string_view bytes) {
  Session* session = find(*desk_, session_);
  return session != nullptr && session->write_stream(number_, bytes);
}

void Stream::finish() {
  if (Session* session = find(*desk_, session_)) {
    session->finish_stream(number_);
  }
}

size_t Stream::unsent_bytes() const {
  const Session* session = find(*desk_, session_);
  return session == nullptr ? 0 : session->unsent_bytes(number_);
}

Answer::~Answer() { CHECK(desk_ == nullptr || !desk_->is_open); }

void Answer::send(const Response& response) {
  CHECK(desk_ != nullptr);
  const std::shared_ptr<AnswerDesk> desk = std::move(desk_);
  if (Session* session = find(*desk, session_)) {
    session->answer(response);
  }
}

void Answer::post(Response response) {
  CHECK(desk_ != nullptr);
  net::Loop& loop = desk_->loop;
  loop.post([desk = std::move(desk_), number = session_, response = std::move(response)] {
    if (Session* session = find(*desk, number)) {
      session->answer(response);
    }
  });
}

Stream Answer::stream(const Response& head, OnStreamEnd on_end) {
  CHECK(desk_ != nullptr);
  const std::shared_ptr<AnswerDesk> desk = std::move(desk_);
  Session* session = find(*desk, session_);
  if (session == nullptr) {
    post_stream_end(desk, std::move(on_end), StreamEnd::kClientGone);
    return {desk, session_, 0};
  }
  const uint64_t number = session->next_stream();  // the session may be gone once it has begun
  session->start_stream(head, std::move(on_end));
  return {desk, session_, number};
}

}  // namespace http
