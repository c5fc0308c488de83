/* Counts instructions: the processor traps after each one, and the handler of the trap counts it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

static volatile int counting;
static volatile uint64_t count;

static void handler(int number, siginfo_t *info, void *context)
{
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
    if (counting) {
        count++;
        *flags |= TRAP_FLAG;
    } else {
        *flags &= ~TRAP_FLAG;
    }
}

void start(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGTRAP, &action, NULL);
    count = 0;
    counting = 1;
    raise(SIGTRAP);
}

uint64_t stop(void)
{
    counting = 0;
    return count;
}
